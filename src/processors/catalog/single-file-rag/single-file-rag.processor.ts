import { Inject, Injectable } from '@nestjs/common';
import { FilesService } from '../../../files';
import { type ToolContext, ToolFailure, type ToolInput, type ToolOutput } from '../../../tools';
import type { ProcessorDefinition, RagProcessor, RagSettings } from '../../contract';

/** LAMB's `single_file_rag` under our path rules: the whole file, whatever its length, its line ends as `\n`. */
@Injectable()
export class SingleFileRagProcessor implements RagProcessor {
  readonly fetches = true;
  readonly definition: ProcessorDefinition = {
    name: 'single_file_rag',
    aliases: [],
    description: "Fetches the text of one of the owner's files.",
  };

  constructor(@Inject(FilesService) private readonly files: Pick<FilesService, 'readText'>) {}

  async run({ filePath }: RagSettings, _: ToolInput, context: ToolContext): Promise<ToolOutput> {
    if (filePath === null || filePath === '') throw new ToolFailure('tool.config_incomplete', 'no file is chosen');
    context.progress(`reading file ${filePath}`);
    const file = await this.files.readText(context.owner, filePath, Number.MAX_SAFE_INTEGER);
    const { path, text, chars, truncated } = file;
    const warnings = (file.warnings ?? []).map((warning) => `${path}: ${warning}`);
    const content = text.replace(/\r\n?/g, '\n');
    return { content, sources: [{ type: 'file', path, chars, truncated }], confidence: null, warnings };
  }

  outputLimit(): number {
    return Infinity;
  }
}
