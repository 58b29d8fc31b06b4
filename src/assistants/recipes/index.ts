export { RecipesModule } from './recipes.module';
