import { AssistantTool } from './assistant/assistant.tool';
import { MoodleUserTool } from './moodle-user/moodle-user.tool';
import { NoRagTool } from './no-rag/no-rag.tool';
import { RubricRagTool } from './rubric-rag/rubric-rag.tool';
import { SimpleRagTool } from './simple-rag/simple-rag.tool';
import { SingleFileRagTool } from './single-file-rag/single-file-rag.tool';

/** Every tool of the pipeline, one line each. */
export const TOOL_PLUGINS = [
  SimpleRagTool,
  RubricRagTool,
  SingleFileRagTool,
  NoRagTool,
  AssistantTool,
  MoodleUserTool,
] as const;
