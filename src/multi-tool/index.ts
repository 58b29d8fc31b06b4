export { MultiToolModule } from './multi-tool.module';
export { MultiToolPipeline } from './multi-tool.pipeline';
