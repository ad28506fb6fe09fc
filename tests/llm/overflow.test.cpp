// SPDX-License-Identifier: BSL-1.0
#include <condense/llm/overflow.hpp>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include "laws/generator.hpp"
#include "support/catch.hpp"
#include "support/effort.hpp"

namespace {

using condense::overflow;
using condense::overflow_of;

struct answer {
    int status;  ///< as the source names it; 0 where it names none
    std::string_view text;
    std::uint64_t limit = 0;
    std::uint64_t requested = 0;

    constexpr overflow expected() const { return {.limit = {limit}, .requested = {requested}}; }
};

// Wordings as their sources give them, organisations and request ids shortened.
constexpr answer overflows[] = {
    // OpenAI: https://github.com/chathub-dev/chathub/issues/126
    {400,
     R"=({"error":{"message":"This model's maximum context length is 4097 tokens. However, your messages resulted in 4294 tokens. Please reduce the length of the messages.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}})=",
     4097, 4294},
    // https://github.com/crewAIInc/crewAI-examples/issues/121
    {0,
     R"=(openai.BadRequestError: Error code: 400 - {'error': {'message': "This model's maximum context length is 8192 tokens. However, your messages resulted in 8227 tokens. Please reduce the length of the messages.", 'type': 'invalid_request_error', 'param': 'messages', 'code': 'context_length_exceeded'}})=",
     8192, 8227},
    // https://github.com/bytedance/deer-flow/issues/310
    {0,
     R"=(BadRequestError('Error code: 400 - {\'error\': {\'message\': "This model\'s maximum context length is 128000 tokens. However, your messages resulted in 202868 tokens (202767 in the messages, 101 in the functions). Please reduce the length of the messages or functions.", \'type\': \'invalid_request_error\', \'param\': \'messages\', \'code\': \'context_length_exceeded\'}}'))=",
     128000, 202868},
    // https://github.com/conghaonet/hao_chatgpt/issues/4
    {400,
     "This model's maximum context length is 4097 tokens. However, you requested 4268 tokens (4012 in the messages, "
     "256 in the completion). Please reduce the length of the messages or completion.",
     4097, 4268},
    // https://github.com/hwchase17/chat-your-data/issues/10
    {0,
     "openai.error.InvalidRequestError: This model's maximum context length is 4097 tokens, however you requested 4231 "
     "tokens (3975 in your prompt; 256 for the completion). Please reduce your prompt; or completion length.",
     4097, 4231},
    // https://github.com/cline/cline/issues/5474
    {400,
     "400 Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 289650 tokens. Please "
     "reduce the length of the messages.",
     272000, 289650},
    // Responses: https://github.com/dyad-sh/dyad/issues/1672
    {0,
     R"=({"error":{"type":"error","sequence_number":2,"error":{"type":"invalid_request_error","code":"context_length_exceeded","message":"Your input exceeds the context window of this model. Please adjust your input and try again.","param":"input"}}})="},
    // https://github.com/james-6-23/codex2api/issues/415
    {400, "Your input exceeds the context window of this model. Please adjust your input and try again."},
    // OpenRouter: https://github.com/refly-ai/refly/issues/1177
    {0,
     R"=(Error: 400 This endpoint's maximum context length is 32768 tokens. However, you requested about 42832 tokens (42832 of text input). Please reduce the length of either one, or use the "middle-out" transform to compress your prompt automatically.)=",
     32768, 42832},
    // DeepSeek, lines broken by a terminal: https://github.com/evalstate/fast-agent/issues/621
    {0,
     "deepseek request failed for model 'deepseek-chat' (code:\n\ninvalid_request_error) (status=400): Error code: 400 "
     "- {'error': {'message':\n\n\"This model's maximum context length is 131072 tokens. However, you "
     "requested\n\n131134 tokens (122942 in the messages, 8192 in the completion). Please reduce\n\nthe length of the "
     "messages or completion.\", 'type': 'invalid_request_error'",
     131072, 131134},
    // Cut by an application: https://github.com/F0x1d/Sense/issues/3
    {0, "This model's maximum context\nlength is 4097 tokens. However, your...", 4097},
    // The code alone, as applications pass it on.
    {400, "context_length_exceeded"},

    // Anthropic: https://github.com/anthropics/claude-code/issues/12186
    {400,
     R"=({"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 208310 tokens > 200000 maximum"},"request_id":"req_011"})=",
     200000, 208310},
    // https://github.com/sojohnnysaid/project-guide/issues/2
    {0,
     "anthropic.BadRequestError: Error code: 400 - {'type': 'error', 'error': {'type': 'invalid_request_error', "
     "'message': 'prompt is too long: 208656 tokens > 200000 maximum'}}",
     200000, 208656},
    // https://github.com/boldsoftware/exe.dev/issues/62
    {0,
     R"=(LLM request failed: status 400 Bad Request (url=http://gateway/v1/messages, model=claude-opus-4-5-20251101): {"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 200251 tokens > 200000 maximum"}})=",
     200000, 200251},
    // https://github.com/docker/docker-agent/issues/569
    {400,
     "{\n  \"type\": \"error\",\n  \"error\": {\n    \"type\": \"invalid_request_error\",\n    \"message\": \"input "
     "length and `max_tokens` exceed context limit: 178959 + 64000 > 200000, decrease input length or `max_tokens` and "
     "try again\"\n  }\n}",
     200000, 242959},
    // https://github.com/anthropics/claude-code/issues/408
    {0,
     "API Error: 400 {\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":\"input length and "
     "`max_tokens` exceed context limit: \n     189136 + 20000 > 204648, decrease input length or `max_tokens` and try "
     "again\"}}",
     204648, 209136},
    // https://github.com/stackblitz/bolt.new/issues/7414
    {0,
     "input length and max_tokens exceed context limit: 90402 + 116650 > 204648, decrease input length or max_tokens "
     "and try again",
     204648, 207052},
    // https://github.com/anthropics/claude-code/issues/6380
    {413,
     R"=({"type":"error","error":{"type":"invalid_request_error","message":"Request size exceeds model context window"},"request_id":"req_011"})="},

    // Gemini: https://github.com/google-gemini/gemini-cli/issues/6678
    {400,
     R"=([{"error":{"code":400,"message":"The input token count (1200293) exceeds the maximum number of tokens allowed (1048576).","errors":[{"message":"The input token count (1200293) exceeds the maximum number of tokens allowed (1048576).","domain":"global","reason":"badRequest"}],"status":"INVALID_ARGUMENT"}}])=",
     1048576, 1200293},
    // https://github.com/google-gemini/gemini-cli/issues/4231
    {0,
     R"=([API Error: {"error":{"message":"{\n  \"error\": {\n    \"code\": 400,\n    \"message\": \"The input token count (3475108) exceeds the maximum number of tokens allowed (1048576).\",\n    \"status\": \"INVALID_ARGUMENT\"\n  }\n}\n","code":400,"status":"Bad Request"}}])=",
     1048576, 3475108},
    // https://github.com/google-gemini/gemini-cli/issues/27197
    {0,
     "google.genai.errors.ClientError: 400 INVALID_ARGUMENT. {'error': {'code': 400, 'message': 'The input token count "
     "(81881) exceeds the maximum number of tokens allowed (65536).', 'status': 'INVALID_ARGUMENT'}}",
     65536, 81881},
    // https://github.com/arkavo-org/arkavo-edge/issues/371
    {0,
     R"=(Provider error: Gemini streaming error: API error: HTTP 400 Bad Request: {"error": {"code": 400, "message": "The input token count exceeds the maximum number of tokens allowed (1048576).", "status": "INVALID_ARGUMENT"}})=",
     1048576},
    // https://github.com/google-gemini/gemini-cli/issues/22609
    {0,
     "API Error: Failed to generate content: The input token count exceeds the maximum number of tokens allowed "
     "1048576",
     1048576},
    // Without the number.
    {400, "The input token count exceeds the maximum number of tokens allowed."},
    // Vertex: https://github.com/google-gemini/gemini-cli/issues/19727
    {0,
     "[API Error: Failed to generate content: Unable to submit request because the input token count is 1251952 but "
     "model only supports up to 1048576. Reduce the input token count and try again.",
     1048576, 1251952},

    // Bedrock, streaming: https://github.com/aws-samples/bedrock-chat/issues/95
    {0,
     "[ERROR] EventStreamError: An error occurred (validationException) when calling the InvokeModelWithResponseStream "
     "operation: Input is too long for requested model."},
    // https://github.com/aws-samples/assessment-generator/issues/2
    {400,
     R"=({"errorType": "ValidationException", "errorMessage": "Input is too long for requested model.", "name": "ValidationException", "$fault": "client", "$metadata": {"httpStatusCode": 400}})="},
    // https://github.com/continuedev/continue/issues/6005
    {0,
     "Error processing Bedrock stream: The model returned the following errors: Input is too long for requested "
     "model."},
    // Converse: https://github.com/strands-agents/harness-sdk/pull/1663
    {0,
     "botocore.errorfactory.ValidationException: An error occurred (ValidationException)\nwhen calling the "
     "ConverseStream operation: The model returned the following errors:\nprompt is too long: 903884 tokens > 200000 "
     "maximum",
     200000, 903884},
    // https://github.com/daisuke-awaji/moca/issues/254
    {0,
     "Type: ValidationException\nDetails: The model returned the following errors: prompt is too long: 200049 tokens > "
     "200000 maximum",
     200000, 200049},

    // llama.cpp: https://github.com/ggml-org/llama.cpp/pull/15780
    {500,
     R"=({"error":{"code":500,"message":"the request exceeds the available context size. try increasing the context size or enable context shift","type":"exceed_context_size_error","n_prompt_tokens":1407,"n_ctx":256}})=",
     256, 1407},
    // https://github.com/oobabooga/textgen/issues/7257
    {400,
     R"=({"error":{"code":400,"message":"the request exceeds the available context size. try increasing the context size or enable context shift","type":"exceed_context_size_error","n_prompt_tokens":14429,"n_ctx":8192}})=",
     8192, 14429},
    // https://github.com/arbs-io/github-copilot-llm-gateway/issues/73
    {0,
     R"=(Chat completion failed: 400 Bad Request - {"error":{"code":400,"message":"request (8708 tokens) exceeds the available context size (8192 tokens), try increasing it","type":"exceed_context_size_error","n_prompt_tokens":8708,"n_ctx":8192}})=",
     8192, 8708},
    // https://github.com/llmmllab/llmmllab-api/issues/69
    {0,
     "Error code: 400 - {'error': {'code': 400, 'message': 'request (25837 tokens) exceeds the available context size "
     "(25088 tokens), try increasing it', 'type': 'exceed_context_size_error', 'n_prompt_tokens': 25837, 'n_ctx': "
     "25088}}",
     25088, 25837},
    // https://github.com/QwenLM/qwen-code/issues/371
    {500, "the request exceeds the available context size. try increasing the context size or enable context shift"},
    // The type alone.
    {400, "exceed_context_size_error"},
    {400, R"=({"type": "exceed_context_size_error", "n_prompt_tokens": 9000, "n_ctx": 8192})=", 8192, 9000},

    // vLLM: https://github.com/vllm-project/vllm/issues/20409
    {400,
     "This model's maximum context length is 16384 tokens. However, you requested 122946 tokens (112946 in the "
     "messages, 10000 in the completion). Please reduce the length of the messages or completion.",
     16384, 122946},
    // https://github.com/ogx-ai/ogx/issues/4534
    {0,
     R"=(openai.BadRequestError: Error code: 400 - {'object': 'error', 'message': "This model's maximum context length is 6048 tokens. However, you requested 6616 tokens (568 in the messages, 6048 in the completion). Please reduce the length of the messages or completion.", 'type': 'BadRequestError', 'param': None, 'code': 400})=",
     6048, 6616},
    // https://github.com/AIDotNet/OpenCowork/issues/82
    {400,
     "This model's maximum context length is 262144 tokens. However, you requested 128000 output tokens and your "
     "prompt contains at least 134145 input tokens, for a total of at least 262145 tokens. Please reduce the length of "
     "the input prompt or the number of requested output tokens. (parameter=input_tokens, value=134145)",
     262144, 262145},
    // https://github.com/claude-code-best/claude-code/issues/272
    {400,
     "Error: 400 'max_tokens' or 'max_completion_tokens' is too large: 64000. This model's maximum context length is   "
     "   64001 tokens and your request has 24235 input tokens (64000 > 64001 - 24235). None",
     64001, 88235},
    // https://github.com/vllm-project/vllm, vllm/renderers/params.py
    {400,
     "You passed 10243 input tokens and requested 6142 output tokens. However, the model's context length is only "
     "16384 tokens, resulting in a maximum input length of 10242 tokens. Please reduce the length of the input prompt. "
     "(parameter=input_tokens, value=10243)",
     16384, 16385},
    // https://github.com/xorbitsai/inference/issues/3785
    {500,
     "[address=0.0.0.0:37591, pid=324770] The decoder prompt (length 17772) is longer than the maximum model length of "
     "16384.",
     16384, 17772},
    // https://github.com/EleutherAI/lm-evaluation-harness/issues/2880
    {500, "ValueError: Prompt length of 2048 is longer than the maximum model length of 2048.", 2048, 2048},
    // https://github.com/vllm-project/vllm/issues/12165
    {500,
     "ValueError: The prompt (total length 25938) is too long to fit into the model (context length 4096). Make sure "
     "that",
     4096, 25938},
    // SGLang: https://github.com/sgl-project/sglang/issues/4048
    {400, "Input length (160062 tokens) exceeds the maximum allowed length (59862 tokens).", 59862, 160062},
    // https://github.com/QwenLM/Qwen3/issues/1321
    {400,
     R"=({"object":"error","message":"The input (61709 tokens) is longer than the model\'s context length (40960 tokens).","type":"BadRequestError","param":null,"code":400})=",
     40960, 61709},
    // https://github.com/anomalyco/opencode/pull/25230
    {400,
     "Bad Request: Requested token count exceeds the model's maximum context length of 202752 tokens. You requested a "
     "total of 202941 tokens: 170941 tokens from the input messages and 32000 tokens for the completion.",
     202752, 202941},

    // Ollama: https://github.com/nano-step/nano-brain/issues/208
    {0, R"=(error="ollama: unexpected status 400: {\"error\":\"the input length exceeds the context length\"}")="},
    // https://github.com/lfnovo/open-notebook/issues/350
    {500, R"=({"error":"the input length exceeds the context length"})="},
    // https://github.com/n8n-io/n8n/issues/11144
    {0, R"=({ "error": "input length exceeds maximum context length", "status_code": 400, "name": "ResponseError" })="},
    // https://github.com/dyad-sh/dyad/issues/3498
    {400, R"=({"error":"prompt too long; exceeded max context length by 540451 tokens (ref: 00ad71bb)"})="},

    // Mistral: https://github.com/jupyterlite/ai/issues/291
    {400,
     "AI_APICallError: Prompt contains 152960 tokens and 0 draft tokens, too large for model with 131072 maximum "
     "context length",
     131072, 152960},
    // GitHub: https://github.com/microsoft/vscode/issues/289514
    {400,
     R"=({"error":{"message":"prompt token count of 514673 exceeds the limit of 128000","code":"model_max_prompt_tokens_exceeded"}})=",
     128000, 514673},
    // https://github.com/tashfeenahmed/freellmapi/issues/426
    {413, "Request body too large for gpt-4.1 model. Max size: 8000 tokens.", 8000},
    // xAI: https://github.com/cline/cline/issues/3120
    {400, R"=(400 "This model's maximum prompt length is 131072 but the request contains 136973 tokens.")=", 131072,
     136973},
    // Moonshot: https://github.com/MoonshotAI/kimi-cli/issues/2011
    {0,
     "LLM provider error: Error code: 400 - {'error': {'message': 'Invalid request: Your request exceeded model token "
     "limit: 262144 (requested: 269030)', 'type': 'invalid_request_error'}}",
     262144, 269030},
    {400, "Your request exceeded model token limit"},
    // https://github.com/MoonshotAI/MoonshotAI-Cookbook/issues/18
    {0, "code: 400 - {'error': {'message': 'model max length exceeded, max length:8192',", 8192},
    // MiniMax: https://github.com/agentscope-ai/QwenPaw/issues/1873
    {0, "{'type': 'invalid_request_error', 'message': 'invalid params, context window exceeds limit (2013)'}"},
    // z.ai: https://github.com/zeroclaw-labs/zeroclaw/issues/4124
    {0, R"=(Z.AI API error (400 Bad Request): {"error":{"code":"1261","message":"Prompt exceeds max length"}})="},
    {0, R"=({"finish_reason":"model_context_window_exceeded"})="},
    // Volcano Engine: https://github.com/langgenius/dify/issues/32221
    {0,
     "'Error code: 400 - {'error': {'code': 'InvalidParameter', 'message': 'Input length 203743 exceeds the maximum "
     "length 202752'",
     202752, 203743},
    // LM Studio: https://github.com/Gitlawb/openclaude/issues/353
    {0,
     R"=(API Error: 400 {"error":"The number of tokens to keep from the initial prompt is greater than the context length (n_keep: 13055>= n_ctx: 4096). Try to load the model with a larger context length, or provide a shorter input."})=",
     4096, 13055},
    {400, "The number of tokens to keep from the initial prompt is greater than the context length."},
    // https://github.com/lmstudio-ai/lmstudio-bug-tracker/issues/546
    {0,
     "Trying to keep the first 111490 tokens when context the overflows. However, the model is loaded with context "
     "length of only 32768 tokens, which is not enough. Try to load the model with a larger context length, or provide "
     "a shorter input. Error Data: n/a, Additional Data: n/a",
     32768, 111490},
    // Cohere: https://github.com/cohere-ai/sandbox-topically/issues/4
    {400,
     "CohereError: too many tokens: total number of tokens (prompt and prediction) cannot exceed 2048 - received 6354. "
     "Try using a shorter prompt or a smaller max_tokens value.",
     2048, 6354},
    {400,
     "too many tokens: size limit exceeded by 11326 tokens. Try using shorter or fewer inputs, or setting "
     "prompt_truncation='AUTO'."},
    // Text Generation Inference, router/src/validation.rs
    {422,
     R"=({"error":"Input validation error: `inputs` must have less than 1024 tokens. Given: 1259","error_type":"validation"})=",
     1024, 1259},
    {422,
     R"=({"error":"Input validation error: `inputs` tokens + `max_new_tokens` must be <= 2048. Given: 1500 `inputs` tokens and 1000 `max_new_tokens`","error_type":"validation"})=",
     2048, 2500},
    // Of no provider in particular.
    {400, "The request exceeds the maximum context window of this model."},
    {400, "Maximum context length exceeded"},
    {400, "The input is longer than the maximum context of 8192 tokens", 8192},
    {400, "This model's maximum context length is 32768 tokens, and the prompt does not fit.", 32768},
    {400, "Token limit exceeded"},
    {400, "You exceeded the token limit of this model"},
    {400, "The conversation exceeded the maximum context length"},
    {400, "Your prompt exceeds the token limit of the model"},
};

// Other errors, of which each must stay what it is with its own status and with none.
constexpr answer others[] = {
    // https://github.com/BuilderIO/micro-agent/issues/86
    {429,
     "429 Rate limit reached for gpt-4o in organization org-u on tokens per min (TPM): Limit 30000, Used 29937, "
     "Requested 385. Please try again in 644ms."},
    // https://github.com/DrShushen/climb/issues/13
    {429,
     "RateLimitError: Error code: 429 - {'error': {'message': 'Request too large for gpt-4o in organization org-V on "
     "tokens per min (TPM): Limit 30000, Requested 30601. The input or output tokens must be reduced in order to run "
     "successfully. Visit https://platform.openai.com/account/rate-limits to learn more.', 'type': 'tokens', 'param': "
     "None, 'code': 'rate_limit_exceeded'}}"},
    // A rate with 413: https://github.com/continuedev/continue/issues/10218
    {413,
     "413 Request too large for model `llama-3.3-70b-versatile` in organization `org_01` service tier `on_demand` on "
     "tokens per minute (TPM): Limit 12000, Requested 14137, please reduce your message size and try again."},
    // https://github.com/continuedev/continue/issues/12057
    {429,
     R"=({"type":"rate_limit_error","message":"This request would exceed your organization's rate limit of 30,000 input tokens per minute (org: e, model: claude-sonnet-4-20250514). For details, refer to: https://docs.claude.com/en/api/rate-limits. Please reduce the prompt length or the maximum tokens requested, or try again later."})="},
    // https://github.com/bhouston/mycoder/issues/62
    {429,
     R"=({"type":"rate_limit_error","message":"This request would exceed the rate limit for your organization of 40,000 input tokens per minute."})="},
    // https://github.com/anthropics/claude-code/issues/53607
    {429,
     R"=({"type":"error","error":{"type":"rate_limit_error","message":"Extra usage is required for long context requests."}})="},
    // https://github.com/anthropics/claude-code/issues/27944
    {400,
     R"=({"type":"error","error":{"type":"invalid_request_error","message":"The long context beta is not yet available for this subscription."}})="},
    // https://github.com/aws-samples/amazon-bedrock-client-for-mac/issues/99
    {429, "ThrottlingException: Too many tokens, please wait before trying again."},
    // https://github.com/ChatGPTNextWeb/NextChat/issues/3195
    {400,
     R"=({"error":{"message":"max_tokens is too large: 8192. This model supports at most 4096 completion tokens, whereas you provided 8192.","type":"invalid_request_error","param":"max_tokens","code":null}})="},
    // https://github.com/chathub-dev/chathub/issues/1222
    {400,
     R"=({"type":"error","error":{"type":"invalid_request_error","message":"max_tokens: 32000 > 4096, which is the maximum allowed number of output tokens for claude-3-opus-20240229"}})="},
    // https://github.com/sigoden/aichat/pull/813
    {400,
     "The maximum tokens you requested exceeds the model limit of 4096. Try again with a maximum tokens value that is "
     "lower than 4096."},
    // https://github.com/anomalyco/opencode/issues/4327
    {500,
     R"=({"error":{"message":"500 Internal Server Error: max_tokens (32000) exceeds model's maximum output tokens (16384)","type":"api_error"}})="},
    // https://github.com/yiliqi78/TOKENICODE/issues/3
    {400,
     R"=({"error":{"code":"InvalidParameter","message":"The parameter max_tokens specified in the request is not valid: integer above maximum value, expected a value <= 32768, but got 64000 instead."}})="},
    // https://github.com/langchain-ai/langchain/issues/9697
    {400,
     "ValidationException: Malformed input request: 8192 is not less or equal to 8191, please reformat your input and "
     "try again."},
    // https://github.com/ChatGPTNextWeb/NextChat/issues/3123
    {429,
     R"=({"error":{"message":"You exceeded your current quota, please check your plan and billing details.","type":"insufficient_quota"}})="},
    // https://github.com/continuedev/continue/issues/11926
    {429,
     R"=({"error":{"code":429,"message":"Quota exceeded for metric: generativelanguage.googleapis.com/generate_content_free_tier_input_token_count, limit: 0, model: gemini-3.1-pro","status":"RESOURCE_EXHAUSTED"}})="},
    // https://github.com/lobehub/lobehub/pull/14711
    {400, "messages.1.content.2.image.source.base64: image exceeds 5 MB maximum: 6275800 bytes > 5242880 bytes"},
    // https://github.com/anthropics/claude-code/issues/49537
    {400,
     "messages.108.content.3.image.source.base64.data: At least one of the image dimensions exceed max allowed size "
     "for many-image requests: 2000 pixels"},
    // Bytes, 32 MB of them: https://github.com/anthropics/anthropic-sdk-python/issues/938
    {413, R"=({"error":{"type":"request_too_large","message":"Request exceeds the maximum size"}})="},
    // https://github.com/langchain-ai/langchain-aws/issues/419
    {400,
     "1 validation error detected: Value at 'body' failed to satisfy constraint: Member must have length less than or "
     "equal to 25000000"},
    // https://github.com/vishalmysore/Tools4AI/issues/16
    {400,
     R"=({"error":{"message":"Invalid 'tools': array too long. Expected an array with maximum length 128, but got an array with length 325 instead.","code":"array_above_max_length"}})="},
    // https://github.com/gptscript-ai/clio/issues/41
    {400,
     "Invalid 'messages[17].content': string too long. Expected a string with maximum length 1048576, but got a string "
     "with length 1744259 instead."},
    // https://github.com/QwenLM/qwen-code/issues/1082
    {400,
     "String value length (20054016) exceeds the maximum allowed (20000000, from "
     "`StreamReadConstraints.getMaxStringLength()`)"},
    // The batch, not the window: https://github.com/ggml-org/llama.cpp/issues/11105
    {500,
     R"=({"error":{"code":500,"message":"input is too large to process. increase the physical batch size","type":"server_error"}})="},
    // https://github.com/fumito-ito/AnthropicSwiftSDK/issues/19
    {400,
     "ValidationException: Malformed input request: #: subject must not be valid against schema, please reformat your "
     "input and try again."},
    // https://github.com/anthropics/claude-code/issues/35792
    {529, R"=({"type":"error","error":{"type":"overloaded_error","message":"Overloaded"},"request_id":"req_011"})="},
    // https://github.com/rishikanthc/Scriberr/issues/237
    {0,
     R"=(failed to make request: Post "http://ollama:11434/api/chat": context deadline exceeded (Client.Timeout exceeded while awaiting headers))="},
    // https://github.com/icereed/paperless-gpt/issues/454
    {0, "Ollama: error getting response from LLM: context canceled"},
    // https://github.com/AtomicBot-ai/Atomic-Chat/issues/212
    {0, "timeout: llama-server completion exceeded the 180-second deadline"},
    // https://github.com/openai/openai-python/issues/331
    {400,
     R"=({"error":{"message":"The response was filtered due to the prompt triggering Azure OpenAI's content management policy. Please modify your prompt and retry.","type":null,"param":"prompt","code":"content_filter","status":400}})="},
    // The answer was too long: https://github.com/anthropics/claude-code/issues/18373
    {0, "API Error: Claude's response exceeded the 32000 output token maximum."},
    // Rates, quotas and the answer.
    {429, "Token limit exceeded: 10000 tokens per minute"},
    {400, "You have exceeded your daily token limit"},
    {400, "Monthly token limit exceeded, see your plan"},
    {400, "The answer exceeded the output token limit of 4096"},
    {0, "Rate limit reached: this request exceeds the token limit of your tier"},
    {400,
     "max_tokens must be less than or equal to 16384, the maximum value for max_tokens is less than the context_window "
     "for this model"},
    {400, "The maximum context of a model is told by its card"},
    {400, "Set a token limit to keep costs low"},
    {400, "too many tokens in the list of stop words"},
    {400, "inputs must have less than 4 elements. Given: 5"},
    {400, "the context window exceeds the screen"},
    {400, "maximum prompt length is told in the documentation"},
    // Plain words of the protocols.
    {404,
     R"=({"error":{"message":"The model `gpt-9` does not exist or you do not have access to it.","code":"model_not_found"}})="},
    {401, R"=({"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}})="},
    {400, "We could not parse the JSON body of your request. (the context around byte 12 is too long to show)"},
    {200, "A model's maximum context length is the number of tokens it reads at once."},
    {0, ""},
};

// Statuses with which a text with the wording is no overflow.
constexpr int never[] = {-1,  100, 200, 201, 204, 299, 301, 401, 402, 403, 404,
                         408, 409, 424, 429, 501, 502, 503, 504, 529, 599, 1000};

constexpr bool by_server(std::string_view text) { return overflow_of(500, text).has_value(); }

// One constant expression for each row: compilers limit the steps of one.

template <std::size_t Index>
constexpr bool recognised = [] {
    constexpr auto& each = overflows[Index];
    for (auto const status : {each.status, 0, 400})
        if (overflow_of(status, each.text) != each.expected()) return false;
    for (auto const status : never)
        if (overflow_of(status, each.text)) return false;
    return each.status != 500 || by_server(each.text);
}();

template <std::size_t Index>
constexpr bool passed_over = [] {
    for (auto const status : {others[Index].status, 0, 400})
        if (overflow_of(status, others[Index].text)) return false;
    return true;
}();

static_assert([]<std::size_t... Index>(std::index_sequence<Index...>) {
    return (recognised<Index> && ...);
}(std::make_index_sequence<std::size(overflows)>{}));
static_assert([]<std::size_t... Index>(std::index_sequence<Index...>) {
    return (passed_over<Index> && ...);
}(std::make_index_sequence<std::size(others)>{}));

constexpr bool the_wording_decides_of_500() {
    return !by_server("prompt is too long: 2 tokens > 1 maximum") && !by_server("context_length_exceeded") &&
           by_server("exceed_context_size_error") && by_server("the input length exceeds the context length");
}
static_assert(the_wording_decides_of_500());

constexpr bool a_stated_status_decides_where_none_is_given() {
    constexpr std::string_view stated[] = {
        R"=(Error code: 401 - {'error': {'message': 'no key for "prompt is too long: 2 tokens > 1 maximum"'}})=",
        "API Error: 429 prompt is too long: 2 tokens > 1 maximum",
        "HTTP 403 Forbidden: prompt is too long: 2 tokens > 1 maximum",
        "HTTP/1.1 403: prompt is too long: 2 tokens > 1 maximum (status: 403)",
        R"=({"error":{"code": "503", "message":"prompt is too long: 2 tokens > 1 maximum"}})=",
        "unexpected status 404: prompt is too long: 2 tokens > 1 maximum",
        "unexpected code=404, prompt is too long: 2 tokens > 1 maximum",
    };
    int found = 0;
    for (auto const text : stated) found += overflow_of(0, text) ? 1 : 0;
    return found == 1 && overflow_of(0, stated[3]) &&  // 1.1 is no status and what follows is too late
           overflow_of(400, stated[0]) &&  // the status of HTTP is the better witness
           overflow_of(0, "Error code: 429, again: Error code: 400 prompt is too long: 2 tokens > 1 maximum") &&
           overflow_of(0, "code: 399 code: 600 code: prompt is too long: 2 tokens > 1 maximum") &&
           overflow_of(0, "Error code: 500: exceed_context_size_error") &&
           !overflow_of(0, "Error code: 500: context_length_exceeded");
}
static_assert(a_stated_status_decides_where_none_is_given());

constexpr overflow numbers_of(std::string_view text) { return overflow_of(400, text).value_or(overflow{{99}, {99}}); }

constexpr bool numbers_may_have_separators_and_no_sense() {
    constexpr auto ceiling = std::uint64_t{1} << 40;
    return numbers_of("prompt is too long: 208,310 tokens > 200_000 maximum") == overflow{{200000}, {208310}} &&
           numbers_of("PROMPT IS TOO LONG: 7 TOKENS > 0 MAXIMUM") == overflow{{0}, {7}} &&
           numbers_of("prompt is too long: 00 tokens > 1099511627776 maximum") == overflow{{ceiling}, {0}} &&
           numbers_of("prompt is too long: 1099511627777 tokens > 99999999999999999999999999 maximum") == overflow{} &&
           numbers_of(
               "exceed context limit: input length and `max_tokens` exceed context limit: "
               "18446744073709551615 + 18446744073709551615 > 8") == overflow{{8}, {0}} &&
           !overflow_of(400, "prompt is too long: -1 tokens > 8 maximum") &&
           !overflow_of(400, "prompt is too long: tokens > maximum");
}
static_assert(numbers_may_have_separators_and_no_sense());

constexpr bool later_wordings_name_what_earlier_ones_do_not() {
    return numbers_of(
               "context_length_exceeded: This model's maximum context length is 9 tokens. However, your messages "
               "resulted in 12 tokens.") == overflow{{9}, {12}} &&
           numbers_of(
               "input token count exceeds the maximum number of tokens allowed (5). request (9 tokens) exceeds the "
               "available "
               "context size (7 tokens)") == overflow{{5}, {9}};
}
static_assert(later_wordings_name_what_earlier_ones_do_not());

constexpr bool a_line_may_break_within_the_first_word_pair() {
    return numbers_of("you\npassed 9 input tokens and requested 2 output tokens, the context length is only 10") ==
               overflow{{10}, {11}} &&
           numbers_of("too\nmany tokens: total number of tokens cannot exceed 7 - received 8") == overflow{{7}, {8}};
}
static_assert(a_line_may_break_within_the_first_word_pair());

/// Without what could end a string: as a library would write it into a message of its own.
std::string escaped(std::string_view text, char quote) {
    std::string out;
    for (char const byte : text) {
        if (byte == quote || byte == '\\') out.push_back('\\');
        if (byte == '\n') out.append("\\n");
        else out.push_back(byte);
    }
    return out;
}

TEST_CASE("an overflow is recognised however it is wrapped", "[core][overflow]") {
    for (auto const& each : overflows) {
        CAPTURE(each.text);
        std::string upper{each.text};
        for (auto& byte : upper)
            if (byte >= 'a' && byte <= 'z') byte = static_cast<char>(byte - 'a' + 'A');
        auto const python = "Error code: 400 - {'error': {'message': '" + escaped(each.text, '\'') +
                            "', 'type': 'invalid_request_error'}}";
        auto const json =
            "event: error\ndata: {\"error\":{\"message\":\"" + escaped(each.text, '"') + "\",\"code\":400}}\n\n";
        auto const nested = "litellm.BadRequestError: {\"detail\":\"" + escaped(json, '"') + "\"} Fallbacks=None";
        auto const dumped = std::string(40'000, ' ') + std::string{each.text} + std::string(1'000'000, 'm');
        for (auto const& text : {upper, python, json, nested, dumped}) {
            for (auto const status : {0, 400, 413, 422}) CHECK(overflow_of(status, text) == each.expected());
            for (auto const status : never) CHECK_FALSE(overflow_of(status, text).has_value());
        }
        CHECK_FALSE(overflow_of(400, std::string(64 * 1024, ' ') + std::string{each.text}).has_value());
    }
}

TEST_CASE("other errors stay what they are however they are wrapped", "[core][overflow]") {
    for (auto const& each : others) {
        CAPTURE(each.text);
        auto const python = "Error code: 400 - {'error': {'message': '" + escaped(each.text, '\'') + "'}}";
        auto const json = "data: {\"error\":{\"message\":\"" + escaped(each.text, '"') + "\"}}";
        for (auto const& text : {python, json})
            for (auto const status : {0, 400, 413, 422, 500}) CHECK_FALSE(overflow_of(status, text).has_value());
    }
}

TEST_CASE("each wording is the first to read the numbers of an answer", "[core][overflow]") {
    constexpr auto& all = condense::detail::overflow_wordings;
    bool used[all.size()] = {};
    for (auto const& each : overflows)
        for (std::size_t at = 0; at < each.text.size(); ++at)
            for (std::size_t index = 0; index < all.size(); ++index)
                if (condense::detail::phrase_at(each.text.substr(at), all[index].phrase)) {
                    used[index] = true;
                    break;
                }
    for (std::size_t index = 0; index < all.size(); ++index) {
        CAPTURE(all[index].phrase);
        CHECK(used[index]);
    }
}

/// Pieces of wordings, of answers and of noise in any order.
std::string mixed(laws::random_source& random) {
    std::string out;
    for (auto left = random.below(40); left != 0; --left) {
        auto const kind = random.below(4);
        auto const& whole =
            kind == 0 ? overflows[random.below(std::size(overflows))].text
            : kind == 1
                ? others[random.below(std::size(others))].text
                : condense::detail::overflow_wordings[random.below(condense::detail::overflow_wordings.size())].phrase;
        if (kind == 3) {
            for (auto bytes = random.below(20); bytes != 0; --bytes)
                out.push_back(static_cast<char>(random.below(256)));
            continue;
        }
        auto const from = random.below(whole.size() + 1);
        out.append(whole.substr(from, random.below(whole.size() + 1)));
    }
    return out;
}

TEST_CASE("no text breaks the search, and a text that ends early is no other text", "[core][overflow]") {
    laws::random_source random{20'261};
    std::uint64_t matches = 0;
    for (std::uint64_t round = 0; round < rounds(2'000); ++round) {
        auto const text = mixed(random);
        auto const found = overflow_of(400, text);
        matches += found ? 1u : 0u;
        if (found) CHECK(found->limit.count <= std::uint64_t{1} << 40);
        if (found)
            CHECK(overflow_of(0, "code: 400 " + text).has_value() ==
                  overflow_of(0, "code: 400 " + text + "!").has_value());
        // A block of its own, so that a read behind its end is seen.
        auto const cut = std::string{text, 0, random.below(text.size() + 1)};
        overflow_of(0, cut);
        CHECK_FALSE(overflow_of(200, text).has_value());
    }
    CHECK(matches > rounds(2'000) / 40);
}

TEST_CASE("a hostile megabyte costs no more than its beginning", "[core][overflow]") {
    std::size_t const size = effort() < 100 ? 128 * 1'024 : 1'024 * 1'024;
    std::size_t number = 0;
    for (auto const& wording : condense::detail::overflow_wordings) {
        if (number++ % 5 != 0 && effort() < 100) continue;
        auto const head = wording.phrase.substr(0, wording.phrase.find_first_of("#%~*"));
        std::string text;
        while (text.size() < size) text.append(head).append("1").append(wording.phrase.substr(head.size(), 8));
        CAPTURE(wording.phrase);
        CHECK(overflow_of(0, text) == overflow_of(0, std::string_view{text}.substr(0, 64 * 1024)));
    }
    for (char const byte : {'m', '1', ' ', '\0', '\xFF', 'c'})
        CHECK_FALSE(overflow_of(0, std::string(1'048'576, byte)).has_value());
}

}  // namespace
