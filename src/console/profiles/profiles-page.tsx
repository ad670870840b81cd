import { useState } from "preact/hooks";
import { loadProfiles, type Profiles, reloadProfiles } from "../api/router.js";
import { Button } from "../components/controls.js";
import { PageHead, Tabs } from "../components/page.js";
import { Loaded, Notice, useAction, useResource } from "../components/resource.js";
import { Moment, Plain } from "../components/text.js";
import { useQuery } from "../components/use-query.js";
import { ProfileDetail } from "./profile-detail.js";
import { ProfileTable } from "./profile-table.js";
import { ReportTab } from "./report/report-tab.js";

const VIEWS = [
  { name: "Models", href: "/profiles" },
  { name: "Report", href: "/profiles?view=report" },
];

/** What is known of each model: on how much, how well, where best, and how fresh. */
export function ProfilesPage() {
  const profiles = useResource("profiles", loadProfiles);
  const [query] = useQuery();
  const view = query.get("view") === "report" ? "Report" : "Models";
  const [told, setTold] = useState<string>();
  const { run: reload, fault } = useAction(async () => {
    setTold(undefined);
    const { count, notes } = await reloadProfiles();
    setTold([`${count} profiles are in use.`, ...notes].join(" "));
    profiles.reload();
  });
  return (
    <>
      <PageHead title="Profiles">
        <Button onClick={() => reload()}>Reload profiles</Button>
      </PageHead>
      {told !== undefined && <Notice kind="success">{told}</Notice>}
      {fault !== undefined && <Notice kind="error">{fault}</Notice>}
      <Tabs label="Views" tabs={VIEWS} current={view} />
      <Loaded resource={profiles}>
        {(value) => (view === "Models" ? <Content profiles={value} /> : <ReportTab state={stateOf(value)} />)}
      </Loaded>
    </>
  );
}

/** Changes whenever a report would. */
const stateOf = ({ list, sets }: Profiles): string => JSON.stringify([list[0]?.version, sets]);

function Content({ profiles }: { readonly profiles: Profiles }) {
  const [query, change] = useQuery();
  const chosen = profiles.list.find(({ model }) => model === query.get("model"));
  const first = profiles.list[0];
  return (
    <>
      {first !== undefined && (
        <p class="muted small">
          {profiles.list.length} models · built <Moment at={first.built_at} /> ({first.built_at.slice(0, 10)})
          · version <code>{first.version}</code> · embedder <Plain text={first.embedder} />
        </p>
      )}
      {chosen === undefined ? (
        <ProfileTable profiles={profiles} />
      ) : (
        <ProfileDetail profile={chosen} profiles={profiles} onClose={() => change({ model: null }, "add")} />
      )}
    </>
  );
}
