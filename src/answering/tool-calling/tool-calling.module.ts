import { Module } from '@nestjs/common';
import { ToolsModule } from '../../tools';
import { ToolLoop } from './tool-loop.service';

@Module({ imports: [ToolsModule], providers: [ToolLoop], exports: [ToolLoop] })
export class ToolCallingModule {}
