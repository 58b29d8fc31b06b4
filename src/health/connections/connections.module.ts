import { Module } from '@nestjs/common';
import { ConnectorsModule } from '../../connectors';
import { KnowledgeBasesModule } from '../../knowledge-bases';
import { MoodleModule } from '../../moodle';
import { OrganizationsModule } from '../../organizations';
import { ToolsModule } from '../../tools';
import { ConnectionProbes, ConnectionTests, TestRate } from './connection-tests.service';
import { ConnectionsController } from './connections.controller';

@Module({
  imports: [ConnectorsModule, KnowledgeBasesModule, MoodleModule, OrganizationsModule, ToolsModule],
  controllers: [ConnectionsController],
  providers: [ConnectionProbes, ConnectionTests, TestRate],
})
export class ConnectionsModule {}
