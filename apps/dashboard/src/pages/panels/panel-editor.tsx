import { ColorInput, Divider, Grid, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect } from 'react';
import { useNavigate, useParams, useSearchParams } from 'react-router';
import { api } from '../../api.ts';
import { Name } from '../../components/display.tsx';
import { ApiForm, useApiForm } from '../../components/form.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { BackLink, Note, NotFound, PageHead, Section } from '../../components/page.tsx';
import { PictureField } from '../../components/picture-field.tsx';
import { GuildSelect } from '../../components/select.tsx';
import { colorHex, colorNumber, firstPanel } from '../../labels/panels.ts';
import { inSetup } from '../../labels/setup-steps.ts';
import { type Panel, type PanelContent, panelsQuery } from '../../queries/panels.ts';
import { queryKeys } from '../../queries/query-keys.ts';
import { useServer } from '../../queries/servers.ts';
import type { Picture } from '../../upload-picture.ts';
import { DeletePanel } from './delete-panel.tsx';
import { PanelPreview } from './panel-preview.tsx';
import { useChannels } from './use-channels.ts';

export const NewPanel = () => {
  const { id, name } = useServer();
  const [query] = useSearchParams();
  return (
    <Editor
      title="New panel"
      label="Post it"
      message="The bot is posting it."
      initial={{ ...firstPanel(name), channelId: null, image: null }}
      send={(body) => api.createPanel({ params: { id }, body })}
      next={query.has(inSetup) ? `/servers/${id}` : undefined}
    />
  );
};

export const EditPanel = () => {
  const { id } = useServer();
  const { panelId } = useParams();
  const panels = useQuery(panelsQuery(id));
  return (
    <Loaded query={panels} height={420}>
      {(found) => {
        const panel = found.find((one) => one.id === panelId);
        return panel ? <EditorOf panel={panel} /> : <NotFound />;
      }}
    </Loaded>
  );
};

const EditorOf = ({ panel }: { panel: Panel }) => {
  const { id, serverId, imageUploadId, imageUrl } = panel;
  const image = imageUploadId && imageUrl ? { id: imageUploadId, url: imageUrl } : null;
  return (
    <Editor
      title="Edit panel"
      label="Save"
      message="The message is changed in place."
      initial={{ ...panel, image }}
      isChange
      end={<DeletePanel panel={panel} label="Delete this panel" />}
      send={(body) => api.updatePanel({ params: { id: serverId, panelId: id }, body })}
    />
  );
};

type Initial = Pick<Panel, 'title' | 'text' | 'color' | 'buttonText'> & {
  channelId: string | null;
  image: Picture | null;
};

type EditorProps = {
  title: string;
  label: string;
  message: string;
  initial: Initial;
  /** Of a panel that exists: there has to be something to save. */
  isChange?: boolean;
  /** Below the form. */
  end?: ReactNode;
  send: (body: PanelContent) => Promise<unknown>;
  /** Where to go once it is saved; to all panels unless it says so. */
  next?: string;
};

const Editor = (props: EditorProps) => {
  const { title, label, message, initial, isChange = false, end, send, next } = props;
  const { id } = useServer();
  const navigate = useNavigate();
  const list = `/servers/${id}/panels`;
  const form = usePanelForm(initial, send, { message, onSuccess: () => navigate(next ?? list) });
  const { channelId, hex, image, ...texts } = form.values;
  const missing = missingFrom(channelId, isChange && !form.isDirty());
  return (
    <>
      <BackLink to={list}>All panels</BackLink>
      <PageHead title={title} description="The message with the button that newcomers press." />
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, lg: 6 }} order={{ base: 2, lg: 1 }}>
          <Section title="The message">
            <ApiForm
              form={form}
              label={label}
              isReady={missing === undefined}
              hint={missing}
              onCancel={() => navigate(list)}
              errorTitle="The panel was not saved"
            >
              <Fields form={form} />
            </ApiForm>
            {end && (
              <>
                <Divider my="md" />
                {end}
              </>
            )}
          </Section>
        </Grid.Col>
        <Grid.Col span={{ base: 12, lg: 6 }} order={{ base: 1, lg: 2 }}>
          <div style={{ position: 'sticky', top: 72 }}>
            <Section title="Preview">
              <PanelPreview
                panel={{ ...texts, color: colorNumber(hex), imageUrl: image?.url ?? null }}
              />
            </Section>
          </div>
        </Grid.Col>
      </Grid>
    </>
  );
};

/** Why there is nothing to send yet. */
const missingFrom = (channelId: string | null, isUnchanged: boolean): string | undefined => {
  if (channelId === null) return 'Choose a channel first.';
  return isUnchanged ? 'Nothing is changed yet.' : undefined;
};

type PanelFormOptions = { message: string; onSuccess: () => void };

const usePanelForm = (
  { title, text, color, buttonText, channelId, image }: Initial,
  send: EditorProps['send'],
  options: PanelFormOptions,
) => {
  const { id } = useServer();
  return useApiForm(
    { title, text, buttonText, channelId, hex: colorHex(color), image },
    ({ channelId: chosen, hex, image: picture, ...texts }) =>
      send({
        ...texts,
        channelId: chosen ?? '',
        color: colorNumber(hex),
        imageUploadId: picture?.id ?? null,
      }),
    {
      ...options,
      invalidates: [queryKeys.panels(id)],
      fieldNames: { color: 'hex', imageUploadId: 'image' },
    },
  );
};

const Fields = ({ form }: { form: ReturnType<typeof usePanelForm> }) => {
  const { choices, only, problem } = useChannels();
  const { values, errors, setFieldValue } = form;
  const chosen = choices?.find(({ id }) => id === values.channelId);
  useEffect(() => {
    if (only && values.channelId === null) setFieldValue('channelId', only.id);
  }, [only, values.channelId, setFieldValue]);
  return (
    <Stack gap="md">
      {problem && (
        <Note tone="warning" title="The names of channels cannot be read now">
          <Text size="sm">{problem} Until then you can type the channel's ID.</Text>
        </Note>
      )}
      <GuildSelect
        label="Channel"
        description="One that newcomers can see before they are verified."
        placeholder="Choose a channel"
        choices={choices}
        value={values.channelId}
        onChange={(channelId) => setFieldValue('channelId', channelId)}
        error={errors.channelId}
        required
      />
      {chosen?.isPrivate && (
        <Note tone="warning">
          Newcomers cannot see <Name>{chosen.name}</Name> before they are verified: everyone lacks
          the permission to view it.
        </Note>
      )}
      <TextInput label="Title" required maxLength={256} {...form.getInputProps('title')} />
      <Textarea
        label="Text"
        description="**bold**, *italic* and [links](https://…) work as in any message."
        autosize
        minRows={3}
        maxRows={12}
        maxLength={2000}
        {...form.getInputProps('text')}
      />
      <TextInput
        label="Button text"
        required
        maxLength={80}
        {...form.getInputProps('buttonText')}
      />
      <ColorInput
        label="Colour"
        description="The bar beside the text."
        format="hex"
        swatches={swatches}
        eyeDropperButtonProps={{ 'aria-label': 'Pick a colour from the screen' }}
        {...form.getInputProps('hex')}
      />
      <PictureField
        label="Picture"
        description="Below the text."
        picture={values.image}
        onChange={(image) => setFieldValue('image', image)}
        error={errors.image}
      />
    </Stack>
  );
};

const swatches = ['#0f5f66', '#2f5d62', '#3b5bdb', '#7048e8', '#c2255c', '#e8590c', '#2b8a3e'];
