import { Module } from '@nestjs/common';
import { AnsweringModule } from '../../src/answering';
import { AssistantsModule } from '../../src/assistants';
import { OrganizationsModule } from '../../src/organizations';
import { McpAssistantCalls, CallsInFlight } from './mcp-assistant-calls.service';
import { McpCatalogue } from './mcp-catalogue.service';
import { McpService } from './mcp.service';
import { McpController } from './mcp.controller';

@Module({
  imports: [AssistantsModule, AnsweringModule, OrganizationsModule],
  controllers: [McpController],
  providers: [McpAssistantCalls, CallsInFlight, McpCatalogue, McpService],
})
export class McpModule {}
