import { Module } from '@nestjs/common';
import { RunRepository } from './run.repository';
import { RunsService } from './runs.service';

@Module({ providers: [RunRepository, RunsService], exports: [RunsService] })
export class RunsModule {}
