export * from './contract';
export { citedReply, withoutMarks, writeNumbers } from './output/citations';
export { foundPassages } from './output/found-passages';
export { type MaterialFit, materialFit } from './output/material-fit';
export { cleanText, cutText } from './output/clean-text';
export { closestName } from './catalogues/closest-name';
export { ConfigSchemas } from './catalogues/config-schema';
export { FunctionCatalogue, functionEntries } from './catalogues/function-catalogue';
export {
  ARGUMENTS_LIMIT,
  completedEvent,
  FunctionInvoker,
  type FunctionInvocation,
  type FunctionOutcome,
  parsedArguments,
  type RequestedCall,
} from './invokers/function-invoker';
export { FunctionOffers, type Offer, type OfferWarning } from './offers/function-offers.service';
export { FunctionSet, NO_FUNCTIONS, type OfferedFunction } from './offers/function-set';
export { presentTool, type PresentedTool } from './listing/present-tool';
export { dataFence } from './model-question';
export { reportResult, reportTool } from './report-tool';
export { questionText, type Retriever, retrieveAccessible } from './search/retrieve-accessible';
export type { ToolStats } from './statistics/tool-counts.types';
export { ToolStatistics } from './statistics/tool-statistics';
export { citedText, sourcesBlock } from './search/sources-block';
export { targetOf, PARALLEL_TEXTS, SEQUENTIAL_TEXTS, skippedText } from './calls/tool-texts';
export { NOT_ACCESSIBLE, ToolCatalogue } from './catalogues/tool-catalogue';
export { McpProbe } from './functions';
export { toolsOver } from './tool-plugins';
export { type SearchRetrieval, tellSearch } from './search';
export { ToolInvoker } from './invokers/tool-invoker';
export { OUTPUT_LIMIT } from './calls/call';
export { ToolsModule } from './tools.module';
export { ToolsService } from './listing/tools.service';
