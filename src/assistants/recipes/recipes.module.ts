import { Module } from '@nestjs/common';
import { AuthModule } from '../../auth';
import { OrganizationsModule } from '../../organizations';
import { RecipesController } from './recipes.controller';
import { RecipesService } from './recipes.service';

@Module({
  imports: [AuthModule, OrganizationsModule],
  controllers: [RecipesController],
  providers: [RecipesService],
})
export class RecipesModule {}
