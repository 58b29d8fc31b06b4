import { Module } from '@nestjs/common';
import { OrganizationsModule } from '../organizations';
import { CONNECTOR_CATALOG } from './catalog';
import { ConnectorsController } from './connectors.controller';
import { ConnectorsService } from './connectors.service';
import { CONNECTORS, type Connector, EMBEDDING_PROVIDERS, type EmbeddingProvider } from './contract';
import { EMBEDDING_CATALOGUE } from './embeddings/catalogue';
import { EmbeddingsService } from './embeddings.service';
import { StructuredAnswers } from './structured';

@Module({
  imports: [OrganizationsModule],
  controllers: [ConnectorsController],
  providers: [
    ...CONNECTOR_CATALOG,
    { provide: CONNECTORS, useFactory: (...connectors: Connector[]) => connectors, inject: [...CONNECTOR_CATALOG] },
    ConnectorsService,
    ...EMBEDDING_CATALOGUE,
    {
      provide: EMBEDDING_PROVIDERS,
      useFactory: (...providers: EmbeddingProvider[]) => providers,
      inject: [...EMBEDDING_CATALOGUE],
    },
    EmbeddingsService,
    StructuredAnswers,
  ],
  exports: [ConnectorsService, EmbeddingsService, StructuredAnswers],
})
export class ConnectorsModule {}
