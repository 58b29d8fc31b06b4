import { Module } from '@nestjs/common';
import { OrganizationsModule } from '../organizations';
import { MoodleProbe } from './moodle-probe.service';
import { MoodleService } from './moodle.service';

@Module({
  imports: [OrganizationsModule],
  providers: [MoodleProbe, MoodleService],
  exports: [MoodleProbe, MoodleService],
})
export class MoodleModule {}
