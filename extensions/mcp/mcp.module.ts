import { Module } from '@nestjs/common';
import { AnsweringModule } from '../../src/answering';
import { AssistantsModule } from '../../src/assistants';
import { OrganizationsModule } from '../../src/organizations';
import { AssistantCalls, CallsInFlight } from './assistant-calls.service';
import { McpCatalogue } from './mcp-catalogue.service';
import { McpService } from './mcp.service';
import { McpController } from './mcp.controller';

@Module({
  imports: [AssistantsModule, AnsweringModule, OrganizationsModule],
  controllers: [McpController],
  providers: [AssistantCalls, CallsInFlight, McpCatalogue, McpService],
})
export class McpModule {}
