import { codex } from './cases/index.ts';
import { testTranscripts } from './transcripts.ts';

testTranscripts(codex);
