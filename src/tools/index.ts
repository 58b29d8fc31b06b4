export * from './contract';
export { citedReply, withoutMarks, writeNumbers } from './citations';
export { cleanText, cutText } from './calls/clean-text';
export { closestName } from './closest-name';
export { ConfigSchemas } from './config-schema';
export { FunctionCatalogue, functionEntries } from './function-catalogue';
export {
  ARGUMENTS_LIMIT,
  completedEvent,
  FunctionInvoker,
  type FunctionInvocation,
  type FunctionOutcome,
  parsedArguments,
  type RequestedCall,
} from './function-invoker';
export { FunctionOffers, type Offer, type OfferWarning } from './function-offers.service';
export { FunctionSet, NO_FUNCTIONS, type OfferedFunction } from './function-set';
export { presentTool, type PresentedTool } from './present-tool';
export { reportResult, reportTool } from './report-tool';
export { questionText, type Retriever, retrieveAccessible } from './search/retrieve-accessible';
export type { ToolStats } from './resilience/tool-counts.types';
export { ToolStatistics } from './resilience/tool-statistics';
export { sourcesBlock } from './search/sources-block';
export { targetOf, PARALLEL_TEXTS, SEQUENTIAL_TEXTS, skippedText } from './calls/tool-texts';
export { ToolCatalogue } from './tool-catalogue';
export { toolsOver } from './tool-plugins';
export type { SearchRoom } from './search';
export { OUTPUT_LIMIT, ToolInvoker } from './tool-invoker';
export { ToolsModule } from './tools.module';
export { ToolsService } from './tools.service';
