/**
 * What the waiting process does: it says that it is there, reads one frame, says that it is about to become the program
 * that the frame names, and becomes it. Its end of the conversation closes by itself then; where it cannot it says so.
 * A frame is four bytes of length and texts that each end with NUL: folder, count of words, words, variables.
 */
export const script = `
open my $talk, '+<&=', 3 or exit 1;
syswrite $talk, 'r';
my $frame = '';
sub fill { while (length $frame < $_[0]) { sysread $talk, $frame, 65536, length $frame or exit 1 } }
fill(4);
my $length = 4 + unpack 'N', $frame;
fill($length);
my ($folder, $count, @texts) = split /\\0/, substr($frame, 4), -1;
pop @texts;
my @words = splice @texts, 0, $count;
%ENV = map { split /=/, $_, 2 } @texts;
if (chdir $folder) { syswrite $talk, 'x'; exec { $words[0] } @words }
syswrite $talk, 'f';
exit 1;
`;

/** All that is said by one that has become its program. */
export const whole = 'rx';

export function frameOf(
  { file, args, cwd }: { file: string; args: readonly string[]; cwd: string },
  envPairs: readonly string[],
): Buffer {
  const texts = [cwd, `${args.length + 1}`, file, ...args, ...envPairs];
  const body = Buffer.from(`${texts.join('\0')}\0`);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(body.length);
  return Buffer.concat([length, body]);
}
