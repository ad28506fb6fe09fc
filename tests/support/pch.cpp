// SPDX-License-Identifier: BSL-1.0

// Compiled for the precompiled header that comes with it, which the test programs share.
