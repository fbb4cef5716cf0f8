import { claudeTranscript } from './claude/transcript.ts';
import { codexTranscript } from './codex/transcript.ts';
import type { TranscriptFormat } from './transcript.ts';

/** Every agent whose transcripts can be read. */
export const transcriptFormats: readonly TranscriptFormat[] = [claudeTranscript, codexTranscript];
