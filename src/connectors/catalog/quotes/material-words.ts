import { termsOf } from './words';

/** Words about the material itself and of requests. They say nothing about a subject of the course. */
const WORDS = `course class lesson unit chapter section page text document file slides material reading book manual lab laboratory
  paper article source assignment task sheet rubric criterion criteria topic subject theme idea point main key important
  first question answer quiz exercise summary overview say state mention cover contain talk ask give list show summarise
  summarize describe know learn study understand help begin start prepare grade graded assess one two three four five ten
  curso clase leccion unidad capitulo seccion pagina texto documento archivo diapositivas lectura libro laboratorio articulo
  fuente enunciado tarea rubrica criterio tema principal importante primer pregunta respuesta cuestionario ejercicio
  resumen dice dicen decir trata menciona contiene pide pedir hazme haz dame hacer hablar saber aprender estudiar entiendo entender
  ayuda ayudame empiezo empezar preparar evalua evaluar uno dos tres cuatro cinco diez
  curs classe llico unitat capitol seccio document fitxer diapositives llibre laboratori article font enunciat tasca criteri
  idees primera resposta questionari exercici resum diu diuen dir tracta menciona conte demana fes dona parlar saber aprendre
  estudiar entenc entendre ajuda comenco comencar preparar avalua avaluar s un quatre cinc deu
  ikastaro ikastaroko ikastaroak eskuliburu eskuliburuak naiz behar dut dugu nondik klase gai gaia gaiak unitate kapitulu kapituluko orri testu dokumentu fitxategi diapositiba irakurgai
  liburu laborategi artikulu iturri enuntziatu enuntziatuak ataza errubrika irizpide nagusi nagusiak ideia garrantzitsu
  lehen galdera erantzun galdetegi ariketa laburpen esaten dio diote aipatu eskatzen egin egidazu eman ikasi ulertzen
  jakin lagundu hasi hasiko prestatu ebaluatzen ebaluatu buruz honi horri bost hamar material materialak materiala`;

const STEMS: ReadonlySet<string> = new Set(termsOf(WORDS));

/** The terms that name a subject. None are left of "What are the main ideas of this course?". */
export const withoutMaterialWords = (terms: readonly string[]): readonly string[] =>
  terms.filter((term) => !STEMS.has(term));
