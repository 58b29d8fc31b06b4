import { Module } from '@nestjs/common';
import { OrganizationsModule } from '../organizations';
import { CONNECTOR_CATALOG } from './catalog';
import { ConnectorsController } from './connectors.controller';
import { ConnectorsService } from './connectors.service';
import { CONNECTORS, type Connector } from './contract';

@Module({
  imports: [OrganizationsModule],
  controllers: [ConnectorsController],
  providers: [
    ...CONNECTOR_CATALOG,
    { provide: CONNECTORS, useFactory: (...connectors: Connector[]) => connectors, inject: [...CONNECTOR_CATALOG] },
    ConnectorsService,
  ],
  exports: [ConnectorsService],
})
export class ConnectorsModule {}
