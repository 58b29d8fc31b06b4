import { Module } from '@nestjs/common';
import { MeteringModule } from '../metering';
import { OrganizationsModule } from '../organizations';
import { CONFIG, type Config } from '../infrastructure/config';
import { OutboundClient } from '../infrastructure/outbound';
import { CONNECTOR_PLUGINS } from './catalog';
import { ConnectorsController } from './connectors.controller';
import { ConnectorsService } from './connectors.service';
import {
  CONNECTORS,
  DEFAULT_CALL_LIMITS,
  EMBEDDING_PROVIDERS,
  MODEL_CALL_LIMITS,
  type ModelCallLimits,
} from './contract';
import { embeddingsOf } from './vendor-embeddings';
import { EmbeddingsService } from './embeddings.service';
import { ProviderProbes } from './provider-probes.service';
import { RerankerService } from './reranker.service';
import { StructuredAnswers } from './structured-answers.service';
import { TranslatorService } from './translator.service';

@Module({
  imports: [MeteringModule, OrganizationsModule],
  controllers: [ConnectorsController],
  providers: [
    {
      provide: CONNECTORS,
      useFactory: (outbound: OutboundClient, limits: ModelCallLimits = DEFAULT_CALL_LIMITS) =>
        CONNECTOR_PLUGINS.map((plugin) => plugin.connect({ outbound, limits })),
      inject: [OutboundClient, { token: MODEL_CALL_LIMITS, optional: true }],
    },
    ConnectorsService,
    {
      provide: EMBEDDING_PROVIDERS,
      useFactory: async (outbound: OutboundClient, { embeddingFolder: folder }: Config) => [
        ...CONNECTOR_PLUGINS.flatMap((plugin) => embeddingsOf(plugin, outbound) ?? []),
        ...(folder === null ? [] : [(await import('./folder-embeddings.js')).folderEmbeddings(folder)]),
      ],
      inject: [OutboundClient, CONFIG],
    },
    EmbeddingsService,
    ProviderProbes,
    RerankerService,
    StructuredAnswers,
    TranslatorService,
  ],
  exports: [
    ConnectorsService,
    EmbeddingsService,
    ProviderProbes,
    RerankerService,
    StructuredAnswers,
    TranslatorService,
  ],
})
export class ConnectorsModule {}
