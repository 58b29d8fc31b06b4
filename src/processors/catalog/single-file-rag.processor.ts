import { Inject, Injectable } from '@nestjs/common';
import { FilesService } from '../../files';
import { type ToolContext, ToolFailure, type ToolInput, type ToolOutput } from '../../tools';
import type { ProcessorDefinition, RagProcessor, RagSettings } from '../contract';

/** LAMB's `single_file_rag` under our path rules: the whole file, whatever its length, its line ends as `\n`. */
@Injectable()
export class SingleFileRagProcessor implements RagProcessor {
  readonly definition: ProcessorDefinition = {
    name: 'single_file_rag',
    aliases: ['single_file'],
    description: 'Puts the text of one of your files into the prompt.',
    texts: {
      en: { name: 'Single File Context', about: 'Puts the text of one of your files into the prompt.' },
      es: { name: 'Contexto de un archivo', about: 'Incluye el texto de uno de sus archivos en el prompt.' },
      ca: { name: 'Context d’un fitxer', about: 'Inclou el text d’un dels vostres fitxers al prompt.' },
      eu: { name: 'Fitxategi baten testuingurua', about: 'Zure fitxategi baten testua sartzen du promptean.' },
    },
    settings: ['file'],
    slots: ['context'],
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
