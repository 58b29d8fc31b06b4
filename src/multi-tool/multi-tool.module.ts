import { Module } from '@nestjs/common';
import { OrchestratorsModule } from '../orchestrators';
import { MultiToolPipeline } from './multi-tool.pipeline';

@Module({ imports: [OrchestratorsModule], providers: [MultiToolPipeline], exports: [MultiToolPipeline] })
export class MultiToolModule {}
