import { Injectable } from '@nestjs/common';
import { ConnectorsService } from '../../connectors';
import { type AssistantDocument, checkClassic, type Diagnostic, rewritingPaths, warning } from '../definition';
import type { JsonObject, Principal } from '../../kernel';
import { QuestionRewriter } from '../../knowledge-bases';
import { ProcessorCatalogue } from '../../processors';
import { ToolCatalogue } from '../../tools';

const NO_FAST_MODEL =
  'Your organization has no fast model: the question is searched as it stands. An administrator can name one at the provider';

/** Warns about models that the organization lacks and processors that are not installed. */
@Injectable()
export class ModelChecks {
  constructor(
    private readonly connectors: ConnectorsService,
    private readonly rewriter: QuestionRewriter,
    private readonly processors: ProcessorCatalogue,
    private readonly tools: ToolCatalogue,
  ) {}

  async check(document: AssistantDocument, { organizationId }: Principal): Promise<Diagnostic[]> {
    const doubts = await this.connectors.doubts(organizationId, document);
    return [
      ...checkClassic(document, this.processors),
      ...doubts.map(({ code, member, message }) => warning(code, `metadata.${member}`, message)),
      ...(await this.rewriting(document, organizationId)),
    ];
  }

  private async rewriting(document: AssistantDocument, organizationId: string): Promise<Diagnostic[]> {
    const paths = rewritingPaths(document, {
      schemaOf: (tool): JsonObject => this.tools.find(tool)?.definition.config_schema ?? {},
      findRag: (name) => this.processors.findRag(name),
      findPrompt: (name) => this.processors.findPrompt(name),
    });
    if (paths.length === 0 || (await this.rewriter.isAvailable(organizationId))) return [];
    return paths.map((path) => warning('rewrite.no_fast_model', path, NO_FAST_MODEL));
  }
}
