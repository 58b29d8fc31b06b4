import { Module } from '@nestjs/common';
import { ConnectorsModule } from '../../connectors';
import { OrganizationsModule } from '../../organizations';
import { FirstStepsController } from './first-steps.controller';
import { FirstStepsRepository } from './first-steps.repository';
import { FirstSteps } from './first-steps.service';

@Module({
  imports: [ConnectorsModule, OrganizationsModule],
  controllers: [FirstStepsController],
  providers: [FirstSteps, FirstStepsRepository],
})
export class FirstStepsModule {}
