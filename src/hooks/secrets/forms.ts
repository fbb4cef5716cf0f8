/** Every way a secret may turn up in a text: as it is, line by line, in JSON, in a URL, as a host, in base64. */
export function formsOf(secret: string): string[] {
  const value = secret.trim();
  const lines = value.split(/\r?\n/).map(line => line.trim());
  const forms = lines.length > 1 ? lines.filter(isTelling).flatMap(line => [line, ...urlForms(line)]) : [];
  return [...forms, value, jsonForm(value), ...urlForms(value), ...hostForms(value), ...base64Forms(value)].filter(
    isLongEnough,
  );
}

const isLongEnough = (text: string): boolean => text.length >= 6;

/** `-----BEGIN PRIVATE KEY-----` tells nothing. */
const isTelling = (line: string): boolean => isLongEnough(line) && !line.startsWith('-----');

const jsonForm = (value: string): string => JSON.stringify(value).slice(1, -1);

function urlForms(value: string): string[] {
  // Half a surrogate pair makes encodeURIComponent throw; through bytes it becomes a replacement character.
  const encoded = encodeURIComponent(Buffer.from(value).toString());
  if (encoded === value) return [];
  const strict = encoded.replace(/[!'()*]/g, char => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
  const lower = encoded.replace(/%[0-9A-F]{2}/g, code => code.toLowerCase());
  return [encoded, strict, lower, encoded.replaceAll('%20', '+')];
}

/** Whoever reads an address writes its host in small letters, also one that a secret is only a part of. */
function hostForms(value: string): string[] {
  const [host = ''] = /^(?:\w+:\/\/)?[\w.:-]+(?![^/?#])/.exec(value) ?? [];
  const lower = host.toLowerCase();
  return lower === host ? [] : [lower + value.slice(host.length)];
}

/** Alone, and as a part of something longer: `user:secret` encodes it shifted by a byte or two. */
function base64Forms(value: string): string[] {
  const bytes = Buffer.from(value);
  const alone = bytes.toString('base64');
  const inside = [0, 1, 2].map(shift => {
    const shifted = Buffer.concat([Buffer.alloc(shift), bytes]).toString('base64');
    return shifted.slice(shift === 0 ? 0 : shift + 1, Math.floor(((shift + bytes.length) * 8) / 6));
  });
  const standard = [alone, alone.replace(/=+$/, ''), ...inside];
  return [...standard, ...standard.map(form => form.replaceAll('+', '-').replaceAll('/', '_'))];
}
