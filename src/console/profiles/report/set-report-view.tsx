import { render } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { factList, setFacts } from "../../../workbench/report/facts.js";
import { frontierSection } from "../../../workbench/report/frontier-section.js";
import { mapSection } from "../../../workbench/report/map-section.js";
import { mapDataOf, pointDetails, selectOnMap } from "../../../workbench/report/map-selection.js";
import { sourcesSection } from "../../../workbench/report/sources-section.js";
import { strengthsSection } from "../../../workbench/report/strengths-section.js";
import { REPORT_STYLE } from "../../../workbench/report/style.js";
import { thinSpotsSection } from "../../../workbench/report/thin-spots-section.js";
import type { SetReport } from "../../api/router.js";
import { drawn } from "../../components/drawn.js";

// The policy of the page allows no style in an element; a style sheet that its own script makes is allowed.
const sheet = new CSSStyleSheet();
sheet.replaceSync(REPORT_STYLE);
document.adoptedStyleSheets.push(sheet);

/** The report of a set, drawn by the code that draws the page of `sextant profile report`. */
export function SetReportView({
  report,
  recommended,
}: {
  readonly report: SetReport;
  readonly recommended: number;
}) {
  const frame = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const [svg, ring, details] = ["#map", "#map-ring", "#map-details"].map((id) =>
      frame.current?.querySelector(id),
    );
    if (!(svg instanceof SVGSVGElement && ring instanceof SVGElement && details instanceof HTMLElement))
      return;
    const data = mapDataOf(report);
    selectOnMap({
      svg,
      ring,
      points: data.map,
      onSelect: (index) => render(pointDetails(data, index).map(drawn), details),
    });
    return () => render(null, details);
  }, [report]);
  // Another report gets other elements: those of the map keep what is selected on it.
  return (
    <div class="set-report" ref={frame} key={report.version}>
      {[
        factList(setFacts(report)),
        mapSection(report),
        frontierSection(report, { recommended }),
        strengthsSection(report),
        thinSpotsSection(report),
        sourcesSection(report),
      ].map(drawn)}
    </div>
  );
}
