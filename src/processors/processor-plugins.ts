import type { FilesService } from '../files';
import type { QuestionRewriter } from '../knowledge-bases';
import type { MoodleService } from '../moodle';
import type { RubricsService } from '../rubrics';
import type { Retriever } from '../tools';
import { ContextAwareAugmentProcessor } from './catalog/context-aware-augment/context-aware-augment.processor';
import { ContextAwareRagProcessor } from './catalog/context-aware-rag/context-aware-rag.processor';
import { HierarchicalRagProcessor } from './catalog/hierarchical-rag/hierarchical-rag.processor';
import { MoodleAugmentProcessor } from './catalog/moodle-augment/moodle-augment.processor';
import { NoRagProcessor } from './catalog/no-rag/no-rag.processor';
import { RubricRagProcessor } from './catalog/rubric-rag/rubric-rag.processor';
import { SimpleAugmentProcessor } from './catalog/simple-augment/simple-augment.processor';
import { SimpleRagProcessor } from './catalog/simple-rag/simple-rag.processor';
import { SingleFileRagProcessor } from './catalog/single-file-rag/single-file-rag.processor';
import { ToolAugmentProcessor } from './catalog/tool-augment/tool-augment.processor';
import type { PromptProcessor, RagProcessor } from './contract';

/** What processors use of the rooms below them. */
export interface ProcessorRooms {
  readonly retrieval: Retriever;
  readonly rewriter: Pick<QuestionRewriter, 'rewrite'>;
  readonly rubrics: Pick<RubricsService, 'forPrompt'>;
  readonly files: Pick<FilesService, 'readText'>;
  readonly moodle: Pick<MoodleService, 'userText'>;
}

export interface ProcessorPlugins {
  readonly prompt: readonly PromptProcessor[];
  readonly rag: readonly RagProcessor[];
}

/** Every classic processor over rooms of the caller's own, in catalogue order. */
export const processorPlugins = ({
  retrieval,
  rewriter,
  rubrics,
  files,
  moodle,
}: ProcessorRooms): ProcessorPlugins => ({
  prompt: [
    new SimpleAugmentProcessor(),
    new ToolAugmentProcessor(),
    new ContextAwareAugmentProcessor(rewriter),
    new MoodleAugmentProcessor(moodle),
  ],
  rag: [
    new NoRagProcessor(),
    new SimpleRagProcessor(retrieval),
    new ContextAwareRagProcessor(retrieval, rewriter),
    new HierarchicalRagProcessor(retrieval, rewriter),
    new RubricRagProcessor(rubrics),
    new SingleFileRagProcessor(files),
  ],
});
