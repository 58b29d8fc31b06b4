export * from './contract';
export { cleanText, cutText } from './clean-text';
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
export { questionText, type Retriever, retrieveAccessible } from './retrieve-accessible';
export type { ToolStats } from './resilience/tool-counts.types';
export { ToolStatistics } from './resilience/tool-statistics';
export { sourcesBlock } from './sources-block';
export { targetOf, PARALLEL_TEXTS, SEQUENTIAL_TEXTS, skippedText } from './tool-texts';
export { ToolCatalogue } from './tool-catalogue';
export { toolPlugins, type ToolRooms } from './tool-plugins';
export { OUTPUT_LIMIT, type RunnableTool, ToolInvoker } from './tool-invoker';
export { ToolsModule } from './tools.module';
export { ToolsService } from './tools.service';
