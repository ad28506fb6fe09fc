// SPDX-License-Identifier: BSL-1.0
#pragma once

// Message types that agree on little, each with its traits and its form as a chat_message.

#include "support/messages/chat.hpp"
#include "support/messages/handle.hpp"
#include "support/messages/json.hpp"
#include "support/messages/line.hpp"
#include "support/messages/note.hpp"
#include "support/messages/post.hpp"
#include "support/messages/shelf.hpp"
#include "support/messages/unnumbered.hpp"
