import type { StructuredAnswers } from '../connectors';
import type { FilesService } from '../files';
import type { QuestionRewriter } from '../knowledge-bases';
import type { MoodleService } from '../moodle';
import type { RubricsService } from '../rubrics';
import { AssistantTool } from './catalog/assistant/assistant.tool';
import { HallucinationDetectorTool } from './catalog/hallucination-detector/hallucination-detector.tool';
import { HybridSearchTool } from './catalog/hybrid-search/hybrid-search.tool';
import { KeywordSearchTool } from './catalog/keyword-search/keyword-search.tool';
import { MoodleUserTool } from './catalog/moodle-user/moodle-user.tool';
import { NoRagTool } from './catalog/no-rag/no-rag.tool';
import { RubricRagTool } from './catalog/rubric-rag/rubric-rag.tool';
import { SimpleRagTool } from './catalog/simple-rag/simple-rag.tool';
import { SingleFileRagTool } from './catalog/single-file-rag/single-file-rag.tool';
import { SynthesisTool } from './catalog/synthesis/synthesis.tool';
import { ValidationTool } from './catalog/validation/validation.tool';
import { VectorSearchTool } from './catalog/vector-search/vector-search.tool';
import type { Tool } from './contract';
import type { SearchRoom } from './search';

/** What tools use of the rooms below them. */
export interface ToolRooms {
  readonly retrieval: SearchRoom;
  readonly rewriter: Pick<QuestionRewriter, 'rewrite'>;
  readonly rubrics: Pick<RubricsService, 'forPrompt' | 'exists' | 'contentVersion'>;
  readonly files: Pick<FilesService, 'readText' | 'exists' | 'contentVersion'>;
  readonly moodle: Pick<MoodleService, 'userText'>;
  readonly answers: Pick<StructuredAnswers, 'ask' | 'hostFor'>;
}

/** Every tool of the pipeline over rooms of the caller's own, in catalogue order. */
export function toolPlugins({ retrieval, rewriter, rubrics, files, moodle, answers }: ToolRooms): readonly Tool[] {
  return [
    new SimpleRagTool(retrieval, rewriter),
    new RubricRagTool(rubrics),
    new SingleFileRagTool(files),
    new NoRagTool(),
    new AssistantTool(),
    new MoodleUserTool(moodle),
    new VectorSearchTool(retrieval, rewriter, answers),
    new KeywordSearchTool(retrieval, rewriter),
    new HybridSearchTool(retrieval, rewriter),
    new SynthesisTool(answers),
    new ValidationTool(answers),
    new HallucinationDetectorTool(answers),
  ];
}
