import type { Type } from '@nestjs/common';
import type { FunctionPlugin } from '../contract';
import { AssistantFunction } from './assistant.function';
import { ImageFunction } from './image.function';
import { KnowledgeBaseFunction } from './knowledge-base.function';
import { McpFunction } from './mcp/mcp.function';
import { MoodleFunction } from './moodle.function';
import { RubricFunction } from './rubric.function';
import { WeatherFunction } from './weather/weather.function';

export { McpProbe } from './mcp/remote-tools';

/** Every plugin whose functions a model may call, one line each. */
export const FUNCTION_PLUGINS: readonly Type<FunctionPlugin>[] = [
  KnowledgeBaseFunction,
  WeatherFunction,
  MoodleFunction,
  RubricFunction,
  ImageFunction,
  AssistantFunction,
  McpFunction,
];
