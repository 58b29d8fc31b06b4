import type { JsonObject, Principal, Source } from '@bellwether/kernel';
import { Inject, Injectable } from '@nestjs/common';
import { FilesService } from '../../files';
import {
  type ConfigGap,
  type Tool,
  type ToolCaching,
  type ToolContext,
  type ToolDefinition,
  ToolFailure,
  type ToolInput,
  type ToolOutput,
} from '../contract';
import { citedText, SOURCES_PROPERTY, type SourcesInPrompt } from '../search/sources-block';

export interface SingleFileRagConfig extends JsonObject {
  /** Relative to the owner's files, or a file's id. */
  readonly file_path: string | null;
  /** UTF-16 units of the file that reach the prompt. */
  readonly max_chars: number;
  readonly sources_in_prompt: SourcesInPrompt;
}

/** The text of one file of the assistant's owner. */
@Injectable()
export class SingleFileRagTool implements Tool<SingleFileRagConfig> {
  readonly definition: ToolDefinition = DEFINITION;

  readonly caching: ToolCaching<SingleFileRagConfig>;

  constructor(
    @Inject(FilesService)
    private readonly files: Pick<FilesService, 'readText' | 'readFailure' | 'exists' | 'contentVersion'>,
  ) {
    this.caching = {
      forEveryQuestion: true,
      contentVersion: ({ file_path }, { owner }) =>
        isEmpty(file_path) ? Promise.resolve(null) : files.contentVersion(owner, file_path),
    };
  }

  async run(config: SingleFileRagConfig, _: ToolInput, context: ToolContext): Promise<ToolOutput> {
    const { file_path, max_chars, sources_in_prompt: style } = config;
    if (isEmpty(file_path)) throw new ToolFailure('tool.config_incomplete', NO_FILE);
    context.progress(`reading file ${file_path}`);
    const file = await this.files.readText(context.owner, file_path, max_chars);
    const { path, text, chars, totalChars, truncated } = file;
    const sources: readonly Source[] = [{ type: 'file', path, chars, truncated }];
    return {
      ...citedText([text], sources, style),
      sources,
      confidence: null,
      warnings: [
        ...(file.warnings ?? []).map((warning) => `${path}: ${warning}`),
        ...(truncated ? [`${path} was cut from ${totalChars} to ${chars} characters`] : []),
      ],
    };
  }

  async gaps({ file_path }: SingleFileRagConfig, owner: Principal): Promise<readonly ConfigGap[]> {
    const path = 'file_path';
    if (isEmpty(file_path)) return [{ path, code: 'tool.config_incomplete', message: NO_FILE }];
    if (!(await this.files.exists(owner, file_path))) {
      return [{ path, code: 'tool.inaccessible', message: `file ${file_path} is not accessible` }];
    }
    const failure = await this.files.readFailure(owner, file_path);
    if (failure === null) return [];
    const values = { reason: failure.code ?? 'file.unreadable' };
    return [{ path, code: 'tool.unreadable', message: failure.message, values }];
  }

  outputLimit({ max_chars }: SingleFileRagConfig): number {
    return max_chars + SOURCES_CHARS;
  }
}

/** Space for what tells the model of the source. */
const SOURCES_CHARS = 1_000;

const NO_FILE = 'no file is chosen';

const isEmpty = (path: string | null): path is null | '' => path === null || path === '';

const DEFINITION: ToolDefinition = {
  name: 'single_file_rag',
  aliases: ['single_file'],
  display_name: 'Single File Context',
  description: 'Puts the text of one of your files into the prompt.',
  texts: {
    es: { name: 'Contexto de un archivo', about: 'Incluye en el prompt el texto de uno de sus archivos.' },
    ca: { name: 'Context d’un fitxer', about: 'Inclou al prompt el text d’un dels vostres fitxers.' },
    eu: { name: 'Fitxategi baten testuingurua', about: 'Zure fitxategi baten testua promptean sartzen du.' },
  },
  placeholder: 'file',
  category: 'file',
  role: 'content',
  version: '1.0.0',
  kind: 'pipeline',
  icon: 'file-text',
  allow_multiple: true,
  config_schema: {
    type: 'object',
    properties: {
      file_path: {
        type: ['string', 'null'],
        title: 'File',
        description: 'Path in your files, or the id of a file.',
        maxLength: 1024,
        default: null,
        'x-reference': 'file',
      },
      max_chars: {
        type: 'integer',
        title: 'Maximum length',
        description: 'Characters of the file in the prompt. Longer files are cut.',
        minimum: 1,
        maximum: 10_000_000,
        default: 50_000,
      },
      sources_in_prompt: SOURCES_PROPERTY,
    },
    required: ['file_path'],
    additionalProperties: false,
  },
  parameters: {},
  examples: [
    {
      query: 'What does the syllabus say about late work?',
      parameters: { file_path: 'syllabus.md' },
      expected_result: 'The text of the syllabus.',
    },
  ],
  capabilities: ['file'],
  limitations: [
    'Scanned pages without text recognition hold no text.',
    'The whole file is read, not the part that fits the question.',
  ],
  cost: { unit: 'none', estimate: 0 },
};
