import { Module } from '@nestjs/common';
import { OrganizationsModule } from '../organizations';
import { MoodleService } from './moodle.service';

@Module({ imports: [OrganizationsModule], providers: [MoodleService], exports: [MoodleService] })
export class MoodleModule {}
