// All of Portune's public API.
#pragma once

#include "portune/data.h"
#include "portune/device.h"
#include "portune/error.h"
#include "portune/graph.h"
#include "portune/language_models.h"
#include "portune/models.h"
#include "portune/nn.h"
#include "portune/ops.h"
#include "portune/question_answering.h"
#include "portune/tasks.h"
#include "portune/tensor.h"
#include "portune/text.h"
#include "portune/text_classification.h"
#include "portune/text_task.h"
#include "portune/token_classification.h"
#include "portune/train.h"
