export {
  type ModeSearchConfig,
  ModeSearchTool,
  type SearchRetrieval,
  chosenCollections,
  collectionGaps,
  modeSearchDefinition,
  searchCaching,
  searchCollections,
  tellSearch,
} from './search-collections';
export {
  COLLECTION_PROPERTIES,
  PASSAGE_PROPERTIES,
  type SearchSettings,
  advanced,
  searchOutputLimit,
} from './search-settings';
