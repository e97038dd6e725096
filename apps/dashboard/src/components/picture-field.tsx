import { largestUploadBytes } from '@holdfast/contract/checks';
import { Button, FileButton, Group, Image, Input, Progress, Stack, Text } from '@mantine/core';
import { IconPhoto, IconUpload } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useId, useState } from 'react';
import { errorMessage, fieldErrorsOf } from '../labels/errors.ts';
import { formatBytes, formatPercent } from '../labels/format.ts';
import { type Picture, uploadPicture } from '../upload-picture.ts';
import classes from './picture-field.module.css';

type PictureFieldProps = {
  label: string;
  description: string;
  picture: Picture | null;
  onChange: (picture: Picture | null) => void;
  error?: ReactNode;
};

/** A picture that is sent as soon as it is chosen; the form keeps only its id. */
export const PictureField = (props: PictureFieldProps) => {
  const { label, description, picture, onChange, error } = props;
  const labelId = useId();
  const [sent, setSent] = useState(0);
  const upload = useMutation({
    mutationFn: (file: File) => uploadPicture(checked(file), setSent),
    onMutate: () => setSent(0),
    onSuccess: onChange,
  });
  const problem = error ?? (upload.error && refusalOf(upload.error));
  return (
    <Input.Wrapper
      label={label}
      labelElement="div"
      labelProps={{ id: labelId }}
      description={`${description} PNG, JPEG, WebP or GIF, up to ${formatBytes(largestUploadBytes)}.`}
      error={problem}
      errorProps={{ role: 'alert' }}
      inputWrapperOrder={['label', 'description', 'input', 'error']}
    >
      <Group gap="md" wrap="nowrap" role="group" aria-labelledby={labelId} mt={6} mb={4}>
        <Thumbnail picture={picture} />
        <Stack gap={6} flex={1} miw={0}>
          <Group gap="xs">
            <FileButton
              onChange={(file) => file && upload.mutate(file)}
              accept="image/png,image/jpeg,image/webp,image/gif"
              inputProps={{ 'aria-labelledby': labelId }}
            >
              {(button) => (
                <Button
                  {...button}
                  variant="default"
                  size="xs"
                  loading={upload.isPending}
                  leftSection={<IconUpload size={14} aria-hidden />}
                >
                  {picture ? 'Replace' : 'Choose a picture'}
                </Button>
              )}
            </FileButton>
            {picture && !upload.isPending && (
              <Button variant="subtle" size="xs" color="red" onClick={() => onChange(null)}>
                Remove
              </Button>
            )}
          </Group>
          {upload.isPending && <Sending share={sent} />}
        </Stack>
      </Group>
    </Input.Wrapper>
  );
};

/** A file that is too large is not sent at all. */
const checked = (file: File): File => {
  if (file.size <= largestUploadBytes) return file;
  throw new TooLarge(
    `This file has ${formatBytes(file.size)}. Choose one of at most ${formatBytes(largestUploadBytes)}.`,
  );
};

class TooLarge extends Error {}

const refusalOf = (error: Error): string =>
  error instanceof TooLarge ? error.message : (fieldErrorsOf(error).file ?? errorMessage(error));

const Thumbnail = ({ picture }: { picture: Picture | null }) =>
  picture ? (
    <Image className={classes.picture} src={new URL(picture.url).pathname} alt="" fit="contain" />
  ) : (
    <div className={classes.picture}>
      <IconPhoto size={22} stroke={1.4} aria-hidden />
    </div>
  );

const Sending = ({ share }: { share: number }) => (
  <Stack gap={4}>
    <Progress value={share * 100} aria-label="Upload" />
    <Text size="xs" c="dimmed" role="status">
      {share < 1
        ? `Sending, ${formatPercent(Math.round(share * 100) / 100)}`
        : 'Checking the picture…'}
    </Text>
  </Stack>
);
