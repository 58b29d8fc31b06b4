import type { Type } from '@nestjs/common';
import type { FunctionPlugin } from '../contract';

/** Every plugin whose functions a model may call, one line each. */
export const FUNCTION_PLUGINS: readonly Type<FunctionPlugin>[] = [];
