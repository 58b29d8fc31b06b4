export { OUTPUT_LIMIT } from './call';
export { PARALLEL_TEXTS, SEQUENTIAL_TEXTS, skippedText, targetOf } from './describe-failure';
export { ConfigSchemas } from './config-schema';
export { FunctionCatalogue, NOT_ACCESSIBLE, ToolCatalogue, closestName, functionEntries } from './tool-catalogue';
export * from './contract';
export { McpProbe } from './functions';
export {
  ARGUMENTS_LIMIT,
  type FunctionInvocation,
  FunctionInvoker,
  type FunctionOutcome,
  type RequestedCall,
  completedEvent,
  parsedArguments,
} from './function-invoker';
export { ToolInvoker } from './tool-invoker';
export { type PresentedTool, ToolsService, presentTool } from './tools.service';
export { dataFence } from './model-question';
export {
  FunctionOffers,
  FunctionSet,
  NO_FUNCTIONS,
  type Offer,
  type OfferWarning,
  type OfferedFunction,
} from './function-offers.service';
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
export type { ToolStats } from './tool-counts.types';
export { ToolStatistics } from './tool-statistics';
export { toolsOver } from './tool-plugins';
export { ToolsModule } from './tools.module';
