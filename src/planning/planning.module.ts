import { Module } from '@nestjs/common';
import { ConnectorsModule } from '../connectors';
import { OrganizationsModule } from '../organizations';
import { ToolsModule } from '../tools';
import { Planner } from './planner.service';

@Module({ imports: [ConnectorsModule, OrganizationsModule, ToolsModule], providers: [Planner], exports: [Planner] })
export class PlanningModule {}
