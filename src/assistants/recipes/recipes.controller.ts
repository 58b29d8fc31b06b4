import type { Caller } from '@bellwether/kernel';
import { Controller, Get, Headers } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access, CurrentCaller } from '../../infrastructure/http';
import { RecipeListDto } from './recipe.dto';
import { RecipesService } from './recipes.service';

@ApiTags('Catalogues')
@Controller('api/v1/recipes')
export class RecipesController {
  constructor(private readonly recipes: RecipesService) {}

  @Get()
  @Access({ scope: 'read', role: 'teacher', summary: 'Whole assistants to start with, in the language asked for' })
  list(
    @CurrentCaller() caller: Caller,
    @Headers('accept-language') acceptLanguage: string | undefined,
  ): Promise<RecipeListDto> {
    return this.recipes.list(caller, acceptLanguage);
  }
}
