import { Module } from '@nestjs/common';
import { MeteringModule } from '../metering';
import { OrganizationsModule } from '../organizations';
import { CONFIG, type Config } from '../infrastructure/config';
import { OutboundClient } from '../infrastructure/outbound';
import { OPTIONAL_PLUGINS } from '../infrastructure/plugins';
import { ConnectorsController } from './connectors.controller';
import { ConnectorsService } from './connectors.service';
import {
  type ConnectorPlugin,
  CONNECTORS,
  CONNECTORS_IN_USE,
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
import { connectorsWith } from './vendors';

@Module({
  imports: [MeteringModule, OrganizationsModule],
  controllers: [ConnectorsController],
  providers: [
    { provide: CONNECTORS_IN_USE, useFactory: connectorsWith, inject: [OPTIONAL_PLUGINS] },
    {
      provide: CONNECTORS,
      useFactory: (
        plugins: readonly ConnectorPlugin[],
        outbound: OutboundClient,
        limits: ModelCallLimits = DEFAULT_CALL_LIMITS,
      ) => plugins.map((plugin) => plugin.connect({ outbound, limits })),
      inject: [CONNECTORS_IN_USE, OutboundClient, { token: MODEL_CALL_LIMITS, optional: true }],
    },
    ConnectorsService,
    {
      provide: EMBEDDING_PROVIDERS,
      useFactory: async (
        plugins: readonly ConnectorPlugin[],
        outbound: OutboundClient,
        { embeddingFolder: folder }: Config,
      ) => [
        ...plugins.flatMap((plugin) => embeddingsOf(plugin, outbound) ?? []),
        ...(folder === null ? [] : [(await import('./folder-embeddings.js')).folderEmbeddings(folder)]),
      ],
      inject: [CONNECTORS_IN_USE, OutboundClient, CONFIG],
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
