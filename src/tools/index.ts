export { OUTPUT_LIMIT } from './call';
export * from './contract';
export { PARALLEL_TEXTS, SEQUENTIAL_TEXTS, skippedText, targetOf } from './describe-failure';
export * from './function-invoker';
export * from './function-offers.service';
export { McpProbe } from './functions';
export { dataFence } from './material';
export {
  type MaterialFit,
  citedReply,
  cleanText,
  cutText,
  foundPassages,
  materialFit,
  withoutMarks,
  writeNumbers,
} from './read-output';
export { reportResult, reportTool } from './report-tool';
export { type SearchRetrieval, tellSearch } from './search';
export { type Retriever, questionText, retrieveAccessible } from './search/retrieve-accessible';
export { citedText, sourcesBlock } from './search/sources-block';
export {
  ConfigSchemas,
  FunctionCatalogue,
  NOT_ACCESSIBLE,
  ToolCatalogue,
  closestName,
  functionEntries,
} from './tool-catalogue';
export { ToolInvoker } from './tool-invoker';
export { functionsOver, toolsOver } from './tool-plugins';
export { ToolStatistics } from './tool-statistics';
export type { ToolStats } from './tool-stats.repository';
export { ToolsModule } from './tools.module';
export { type PresentedTool, ToolsService, presentTool } from './tools.service';
