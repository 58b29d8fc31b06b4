export {
  CLASSIC_SETTINGS,
  type ClassicSetting,
  fetches,
  type GatherContext,
  type Gathered,
  type ProcessorDefinition,
  type PromptInput,
  type PromptProcessor,
  type RagContext,
  type RagProcessor,
  type RagSettings,
} from '@bellwether/plugin';
export * from './processors.token';
