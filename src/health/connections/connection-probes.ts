import { Injectable } from '@nestjs/common';
import { ProviderProbes, RerankerService, TranslatorService } from '../../connectors';
import { ExternalProbe } from '../../knowledge-bases';
import { MoodleProbe } from '../../moodle';
import { McpProbe } from '../../tools';

/** Each kind of vendor or server is asked by the module that speaks its protocol. */
@Injectable()
export class ConnectionProbes {
  constructor(
    readonly providers: ProviderProbes,
    readonly mcp: McpProbe,
    readonly moodle: MoodleProbe,
    readonly knowledgeBase: ExternalProbe,
    readonly rerankers: RerankerService,
    readonly translators: TranslatorService,
  ) {}
}
