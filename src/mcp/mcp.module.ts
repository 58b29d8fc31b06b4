import { Module } from '@nestjs/common';
import { AssistantsModule } from '../assistants';
import { AnsweringModule } from '../answering';
import { OrganizationsModule } from '../organizations';
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
