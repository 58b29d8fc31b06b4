export { LanguageDetector, type TextLanguage, isIn } from './language-detector';
export { LanguagesModule } from './languages.module';
