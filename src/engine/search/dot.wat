;; Similarities of one query to rows of int8 codes, four rows at a time. Baseline SIMD only (no relaxed-simd), so that
;; any engine since V8 9.1 runs it. All addresses are bytes in the one memory; the caller owns its layout
;; (vector-memory.ts) and guarantees the bounds.
(module
  (import "vectors" "memory" (memory 1))

  ;; Inner products of the rows at $a, $b, $c, $d (int8) with the query in [$query, $end) (int16, a multiple of 32 bytes,
  ;; zero-padded): i32x4, one lane a row. A row may end before the query does: what follows meets zeros.
  (func $dots (param $a i32) (param $b i32) (param $c i32) (param $d i32) (param $query i32) (param $end i32) (result v128)
    (local $q v128)
    (local $sum_a v128) (local $sum_b v128) (local $sum_c v128) (local $sum_d v128)
    (loop $chunk
      (local.set $q (v128.load (local.get $query)))
      (local.set $sum_a (i32x4.add (local.get $sum_a) (i32x4.dot_i16x8_s (local.get $q) (v128.load8x8_s (local.get $a)))))
      (local.set $sum_b (i32x4.add (local.get $sum_b) (i32x4.dot_i16x8_s (local.get $q) (v128.load8x8_s (local.get $b)))))
      (local.set $sum_c (i32x4.add (local.get $sum_c) (i32x4.dot_i16x8_s (local.get $q) (v128.load8x8_s (local.get $c)))))
      (local.set $sum_d (i32x4.add (local.get $sum_d) (i32x4.dot_i16x8_s (local.get $q) (v128.load8x8_s (local.get $d)))))
      (local.set $q (v128.load offset=16 (local.get $query)))
      (local.set $sum_a (i32x4.add (local.get $sum_a) (i32x4.dot_i16x8_s (local.get $q) (v128.load8x8_s offset=8 (local.get $a)))))
      (local.set $sum_b (i32x4.add (local.get $sum_b) (i32x4.dot_i16x8_s (local.get $q) (v128.load8x8_s offset=8 (local.get $b)))))
      (local.set $sum_c (i32x4.add (local.get $sum_c) (i32x4.dot_i16x8_s (local.get $q) (v128.load8x8_s offset=8 (local.get $c)))))
      (local.set $sum_d (i32x4.add (local.get $sum_d) (i32x4.dot_i16x8_s (local.get $q) (v128.load8x8_s offset=8 (local.get $d)))))
      (local.set $a (i32.add (local.get $a) (i32.const 16)))
      (local.set $b (i32.add (local.get $b) (i32.const 16)))
      (local.set $c (i32.add (local.get $c) (i32.const 16)))
      (local.set $d (i32.add (local.get $d) (i32.const 16)))
      (local.set $query (i32.add (local.get $query) (i32.const 32)))
      (br_if $chunk (i32.lt_u (local.get $query) (local.get $end))))
    ;; Transpose and add: first a0+a2 b0+b2 a1+a3 b1+b3 (and the same of c, d), then a b c d.
    (local.set $sum_a
      (i32x4.add
        (i8x16.shuffle 0 1 2 3 16 17 18 19 4 5 6 7 20 21 22 23 (local.get $sum_a) (local.get $sum_b))
        (i8x16.shuffle 8 9 10 11 24 25 26 27 12 13 14 15 28 29 30 31 (local.get $sum_a) (local.get $sum_b))))
    (local.set $sum_c
      (i32x4.add
        (i8x16.shuffle 0 1 2 3 16 17 18 19 4 5 6 7 20 21 22 23 (local.get $sum_c) (local.get $sum_d))
        (i8x16.shuffle 8 9 10 11 24 25 26 27 12 13 14 15 28 29 30 31 (local.get $sum_c) (local.get $sum_d))))
    (i32x4.add
      (i8x16.shuffle 0 1 2 3 4 5 6 7 16 17 18 19 20 21 22 23 (local.get $sum_a) (local.get $sum_c))
      (i8x16.shuffle 8 9 10 11 12 13 14 15 24 25 26 27 28 29 30 31 (local.get $sum_a) (local.get $sum_c))))

  ;; Similarities from inner products: f32(dot) * (scale * step), which rounding may carry past ±1, hence the bounds.
  (func $similarities (param $dots v128) (param $scales v128) (param $step f32) (result v128)
    (f32x4.pmax (v128.const f32x4 -1 -1 -1 -1)
      (f32x4.pmin (v128.const f32x4 1 1 1 1)
        (f32x4.mul
          (f32x4.convert_i32x4_s (local.get $dots))
          (f32x4.mul (local.get $scales) (f32x4.splat (local.get $step)))))))

  ;; out[i] = similarity of row i to the query, for the $rows rows from $codes on, $stride bytes each.
  ;; $rows is rounded up to a multiple of 4, which the layout has room for. Of every 16 rows the 4 lane-wise maxima go to
  ;; $peaks, so that the best rows are found without reading all similarities again; a last, partial block included.
  (func (export "scan")
    (param $codes i32) (param $stride i32) (param $rows i32) (param $scales i32)
    (param $query i32) (param $end i32) (param $step f32) (param $out i32) (param $peaks i32)
    (local $stop i32) (local $block_end i32) (local $row v128) (local $peak v128)
    (local.set $stop
      (i32.add (local.get $out) (i32.shl (i32.and (i32.add (local.get $rows) (i32.const 3)) (i32.const -4)) (i32.const 2))))
    (block $done
      (loop $block
        (br_if $done (i32.eq (local.get $out) (local.get $stop)))
        (local.set $peak (v128.const f32x4 -inf -inf -inf -inf))
        (local.set $block_end (i32.add (local.get $out) (i32.const 64)))
        (if (i32.gt_u (local.get $block_end) (local.get $stop)) (then (local.set $block_end (local.get $stop))))
        (loop $group
          (local.set $row
            (call $similarities
              (call $dots
                (local.get $codes)
                (i32.add (local.get $codes) (local.get $stride))
                (i32.add (local.get $codes) (i32.shl (local.get $stride) (i32.const 1)))
                (i32.add (local.get $codes) (i32.mul (local.get $stride) (i32.const 3)))
                (local.get $query)
                (local.get $end))
              (v128.load (local.get $scales))
              (local.get $step)))
          (v128.store (local.get $out) (local.get $row))
          (local.set $peak (f32x4.pmax (local.get $peak) (local.get $row)))
          (local.set $codes (i32.add (local.get $codes) (i32.shl (local.get $stride) (i32.const 2))))
          (local.set $scales (i32.add (local.get $scales) (i32.const 16)))
          (local.set $out (i32.add (local.get $out) (i32.const 16)))
          (br_if $group (i32.ne (local.get $out) (local.get $block_end))))
        (v128.store (local.get $peaks) (local.get $peak))
        (local.set $peaks (i32.add (local.get $peaks) (i32.const 16)))
        (br $block))))
)
