import { Module } from '@nestjs/common';
import { OrganizationsModule } from '../organizations';
import { MoodleProbe, MoodleService } from './moodle.service';

@Module({
  imports: [OrganizationsModule],
  providers: [MoodleProbe, MoodleService],
  exports: [MoodleProbe, MoodleService],
})
export class MoodleModule {}
