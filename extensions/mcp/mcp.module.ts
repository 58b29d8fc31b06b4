import { Module } from '@nestjs/common';
import { AssistantsModule } from '../../src/assistants';
import { AnsweringModule } from '../../src/answering';
import { OrganizationsModule } from '../../src/organizations';
import { AssistantCalls } from './assistant-calls.service';
import { CallsInFlight } from './calls-in-flight';
import { McpCatalogue } from './mcp-catalogue.service';
import { McpController } from './mcp.controller';
import { McpDoor } from './mcp-door.service';

@Module({
  imports: [AssistantsModule, AnsweringModule, OrganizationsModule],
  controllers: [McpController],
  providers: [AssistantCalls, CallsInFlight, McpCatalogue, McpDoor],
})
export class McpModule {}
