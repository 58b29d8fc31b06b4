import { Module } from '@nestjs/common';
import { ProcessorsModule } from '../processors';
import { ToolsModule } from '../tools';
import { ClassicPipeline } from './classic.pipeline';

@Module({ imports: [ProcessorsModule, ToolsModule], providers: [ClassicPipeline], exports: [ClassicPipeline] })
export class ClassicModule {}
