import { Module } from '@nestjs/common';
import { AnsweringModule } from '../../src/answering';
import { AssistantsModule } from '../../src/assistants';
import { OrganizationsModule } from '../../src/organizations';
import { AssistantCalls, CallsInFlight } from './assistant-calls.service';
import { McpCatalogue } from './mcp-catalogue.service';
import { McpDoor } from './mcp-door.service';
import { McpController } from './mcp.controller';

@Module({
  imports: [AssistantsModule, AnsweringModule, OrganizationsModule],
  controllers: [McpController],
  providers: [AssistantCalls, CallsInFlight, McpCatalogue, McpDoor],
})
export class McpModule {}
